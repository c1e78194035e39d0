import { fields, isObject, maybeBase64 } from "../protocol/fields.ts";
import { toCamelCase, toSnakeCase } from "./names.ts";
import {
  type IntegerType,
  isBytes,
  isChar,
  isPlainOption,
  ODD_NUMBERS,
  rangeOf,
  type ResultTypes,
  type WitField,
  type WitFunction,
  type WitType,
} from "./types.ts";
import { join, rightOf, show, wrong } from "./wrong_values.ts";

/** Characters of a name that is not known, in an error. */
const LONGEST_KEY = 60;

/** The types of the two sides, if a function gives a result; else undefined. */
export function maybeResultTypes(
  { result }: WitFunction,
): ResultTypes | undefined {
  if (result?.kind !== "result") return undefined;
  const { kind: _, ...types } = result;
  return types;
}

/**
 * Converts arguments from JSON to the values that jco's JavaScript takes.
 *
 * @throws {TypeError} If an argument is of another type; names it.
 * @throws {RangeError} If a number or a length is outside its limits; names it.
 */
export function toGuestArguments(fn: WitFunction, args: unknown): unknown[] {
  return toFields(fn.params, args, "");
}

/** The values of fields, in their order. A field that is an option need not be there. */
function toFields(
  of: readonly WitField[],
  data: unknown,
  path: string,
): unknown[] {
  const keys = of.map(({ name }) => toSnakeCase(name));
  const given = checkKeys(keys, data, path);
  return of.map(({ type }, at) => {
    const key = keys[at]!;
    const value = Object.hasOwn(given, key) ? given[key] : undefined;
    if (value === undefined && type.kind !== "option") {
      throw new TypeError(
        `${join(path, key)} is missing: it must be ${rightOf(type)}`,
      );
    }
    return toGuest(type, value ?? null, join(path, key));
  });
}

/** Checks that data is an object without other keys than these. */
function checkKeys(
  known: readonly string[],
  data: unknown,
  path: string,
): Record<string, unknown> {
  if (!isObject(data)) throw wrong(data, path, "an object");
  const other = Object.keys(data).find((key) => !known.includes(key));
  if (other === undefined) return data;
  throw new TypeError(
    `${join(path, other.slice(0, LONGEST_KEY))} is not known; ${
      known.length > 0 ? `these are: ${known.join(", ")}` : "there is none"
    }`,
  );
}

/** Converts a value; its types bound how deep this goes. */
function toGuest(
  type: WitType | undefined,
  data: unknown,
  path: string,
): unknown {
  const refuse = () => wrong(data, path, rightOf(type));
  switch (type?.kind) {
    case undefined:
      if (data !== null) throw refuse();
      return undefined;
    case "bool":
      if (typeof data !== "boolean") throw refuse();
      return data;
    case "char":
      if (!isChar(data)) throw refuse();
      return data;
    case "string":
      if (typeof data !== "string" || !data.isWellFormed()) throw refuse();
      return data;
    case "integer":
      return toInteger(type, data, path);
    case "float":
      if (typeof data === "number") return data;
      if (typeof data !== "string" || !ODD_NUMBERS.includes(data)) {
        throw refuse();
      }
      return Number(data);
    case "list": {
      if (isBytes(type)) {
        const bytes = typeof data === "string" ? maybeBase64(data) : undefined;
        if (!bytes) throw refuse();
        return bytes;
      }
      if (!Array.isArray(data)) throw refuse();
      return data.map((item, at) => toGuest(type.item, item, `${path}[${at}]`));
    }
    case "tuple":
      if (!Array.isArray(data)) throw refuse();
      if (data.length !== type.items.length) {
        throw new RangeError(
          `${path} has ${data.length} items, and must be ${rightOf(type)}`,
        );
      }
      return type.items.map((item, at) =>
        toGuest(item, data[at], `${path}[${at}]`)
      );
    case "record": {
      const values = toFields(type.fields, data, path);
      return Object.fromEntries(
        type.fields.map(({ name }, at) => [toCamelCase(name), values[at]]),
      );
    }
    case "variant": {
      const { tag, ...rest } = fields(data);
      const found = type.cases.find(({ name }) => name === tag);
      if (!found) throw refuse();
      const of = found.type ? [{ name: "value", type: found.type }] : [];
      const [val] = toFields(of, rest, path);
      return found.type ? { tag, val } : { tag };
    }
    case "enum":
      if (!type.names.some((name) => name === data)) throw refuse();
      return data;
    case "flags": {
      const isRight = Array.isArray(data) &&
        data.every((name) => type.names.includes(name));
      if (!isRight) throw refuse();
      const names = new Set(data);
      return Object.fromEntries(
        type.names.map((name) => [toCamelCase(name), names.has(name)]),
      );
    }
    case "option": {
      const isPlain = isPlainOption(type);
      if (data === null) return isPlain ? undefined : { tag: "none" };
      const { item } = type;
      const [val] = item.kind === "option"
        ? toFields([{ name: "some", type: item }], data, path)
        : [toGuest(item, data, path)];
      return isPlain ? val : { tag: "some", val };
    }
    case "result": {
      const given = checkKeys(["ok", "error"], data, path);
      const [key, ...more] = Object.keys(given);
      if (key === undefined || more.length > 0) throw refuse();
      const side = key === "ok" ? type.ok : type.error;
      const val = toGuest(side, given[key], join(path, key));
      return { tag: key === "ok" ? "ok" : "err", val };
    }
  }
}

function toInteger(type: IntegerType, data: unknown, path: string): unknown {
  const isText = type.bits === 64 && typeof data === "string" &&
    /^-?\d{1,20}$/.test(data);
  if (!isText && !Number.isInteger(data)) {
    throw wrong(data, path, rightOf(type));
  }
  const integer = BigInt(data as string | number);
  const [least, most] = rangeOf(type);
  // JSON's number is not the one that was meant, if it is so large.
  const isExact = isText || Number.isSafeInteger(data);
  if (!isExact || integer < least || integer > most) {
    throw new RangeError(
      `${path} is ${show(data)}, and must be ${rightOf(type)}`,
    );
  }
  return type.bits === 64 ? integer : Number(integer);
}
