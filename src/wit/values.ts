import { toCamelCase, toSnakeCase } from "./names.ts";
import type { ResultTypes, WitFunction, WitType } from "./types.ts";

export function maybeResultTypes(fn: WitFunction): ResultTypes | undefined {
  return fn.result?.kind === "result" ? fn.result : undefined;
}

export function toGuestArguments(fn: WitFunction, args: unknown): unknown[] {
  return fn.params.map(({ name, type }) =>
    toGuest(Object(args)[toSnakeCase(name)], type, toSnakeCase(name))
  );
}

function toGuest(value: any, type: WitType, at: string): unknown {
  const bad = (what: string): never => {
    throw new TypeError(`"${at}" must be ${what}`);
  };
  switch (type.kind) {
    case "bool":
      return typeof value === "boolean" ? value : bad("true or false");
    case "char":
    case "string":
      return typeof value === "string" ? value : bad("a text");
    case "integer":
      return type.bits === 64 ? BigInt(value) : Number(value);
    case "float":
      return Number(value);
    case "list":
      if (
        type.item.kind === "integer" && type.item.bits === 8 &&
        typeof value === "string"
      ) {
        return Uint8Array.fromBase64(value);
      }
      return Array.isArray(value)
        ? value.map((one, i) => toGuest(one, type.item, `${at}[${i}]`))
        : bad("a list");
    case "tuple":
      return type.items.map((one, i) =>
        toGuest(value?.[i], one, `${at}[${i}]`)
      );
    case "record":
      return Object.fromEntries(type.fields.map(({ name, type }) => [
        toCamelCase(name),
        toGuest(Object(value)[toSnakeCase(name)], type, `${at}.${name}`),
      ]));
    case "option":
      return value === undefined || value === null
        ? undefined
        : toGuest(value, type.item, at);
    case "variant": {
      const one = type.cases.find(({ name }) => name === value?.tag) ??
        bad("a case");
      return {
        tag: one!.name,
        val: one!.type && toGuest(value.value, one!.type, at),
      };
    }
    case "enum":
      return value;
    case "flags":
      return Object.fromEntries(
        type.names.map((n) => [toCamelCase(n), value.includes(n)]),
      );
    case "result":
      return "ok" in value
        ? { tag: "ok", val: type.ok && toGuest(value.ok, type.ok, at) }
        : {
          tag: "err",
          val: type.error && toGuest(value.error, type.error, at),
        };
  }
}

export function toJsonText(value: unknown, type: WitType): string {
  return JSON.stringify(toJson(value, type)) ?? "null";
}

function toJson(value: any, type: WitType): unknown {
  switch (type.kind) {
    case "integer":
      return typeof value === "bigint"
        ? Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
        : value;
    case "list":
      if (value instanceof Uint8Array) return value.toBase64();
      return [...value].map((one) => toJson(one, type.item));
    case "tuple":
      return type.items.map((one, i) => toJson(value[i], one));
    case "record":
      return Object.fromEntries(type.fields.map(({ name, type }) => [
        toSnakeCase(name),
        toJson(value[toCamelCase(name)], type),
      ]));
    case "option":
      return value === undefined || value === null
        ? undefined
        : toJson(value, type.item);
    case "variant": {
      const one = type.cases.find(({ name }) => name === value.tag);
      return one?.type
        ? { tag: value.tag, value: toJson(value.val, one.type) }
        : { tag: value.tag };
    }
    case "flags":
      return type.names.filter((n) => value[toCamelCase(n)]);
    case "result":
      return value.tag === "ok"
        ? { ok: type.ok ? toJson(value.val, type.ok) : null }
        : { error: type.error ? toJson(value.val, type.error) : null };
    default:
      return value;
  }
}
