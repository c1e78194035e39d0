import { LONGEST_CALL } from "../protocol/bounds.ts";
import { toCamelCase, toSnakeCase } from "./names.ts";
import {
  isBytes,
  isChar,
  isPlainOption,
  ODD_NUMBERS,
  rangeOf,
  type WitType,
} from "./types.ts";

/**
 * Converts a value that jco's JavaScript gives to JSON text. The value may be
 * hostile: its own properties alone are read, and as deep as its type goes.
 *
 * @param type Without it the text is `null`.
 * @throws {TypeError} If the value is not of its type, or its text is too long.
 */
export function toJsonText(value: unknown, type?: WitType): string {
  try {
    return JSON.stringify(new Reading().read(type, value) ?? null);
  } catch (error) {
    // A value may have properties that throw.
    throw error instanceof Refusal
      ? new TypeError(`the component gave a value ${error.message}`)
      : new TypeError("the component gave a value that cannot be read");
  }
}

class Refusal extends Error {}

/** Reads a value, up to a bound: its parts may be the same ones, many times. */
class Reading {
  #left = LONGEST_CALL;

  /** Gives JSON: undefined, which JSON leaves out of objects, for what is not there. */
  read(type: WitType | undefined, value: unknown): unknown {
    const check = (isRight: boolean) => mustBe(isRight, type?.kind);
    this.#spend(1);
    switch (type?.kind) {
      case undefined:
        return undefined;
      case "bool":
        check(typeof value === "boolean");
        return value;
      case "char":
        check(isChar(value));
        return value;
      case "string":
        check(typeof value === "string");
        this.#spend(String(value).length);
        return value;
      case "enum":
        check(type.names.some((name) => name === value));
        return value;
      case "integer": {
        const isBig = type.bits === 64;
        check(isBig ? typeof value === "bigint" : Number.isInteger(value));
        const integer = BigInt(value as number | bigint);
        const [least, most] = rangeOf(type);
        check(integer >= least && integer <= most);
        const number = Number(integer);
        return Number.isSafeInteger(number) ? number : `${integer}`;
      }
      case "float":
        check(typeof value === "number");
        return ODD_NUMBERS.includes(`${value}`) ? `${value}` : value;
      case "list": {
        if (!isBytes(type)) return this.#readItems(value, () => type.item);
        check(value instanceof Uint8Array);
        const bytes = new Uint8Array(value as Uint8Array);
        this.#spend(bytes.length);
        return bytes.toBase64();
      }
      case "tuple": {
        const items = this.#readItems(value, (at) => type.items[at]);
        check(items.length === type.items.length);
        return items;
      }
      case "record":
        return Object.fromEntries(type.fields.map(({ name, type }) => {
          this.#spend(name.length);
          const field = own(value, toCamelCase(name));
          return [toSnakeCase(name), this.read(type, field)];
        }));
      case "variant": {
        const tag = own(value, "tag");
        const found = type.cases.find(({ name }) => name === tag);
        check(found !== undefined);
        return { tag, value: this.read(found?.type, own(value, "val")) };
      }
      case "flags":
        return type.names.filter((name) =>
          own(value, toCamelCase(name)) === true
        );
      case "option": {
        let some = value;
        if (isPlainOption(type)) {
          if (value === undefined || value === null) return undefined;
        } else {
          const tag = own(value, "tag");
          if (tag === "none") return undefined;
          check(tag === "some");
          some = own(value, "val");
        }
        const read = this.read(type.item, some);
        return type.item.kind === "option" ? { some: read ?? null } : read;
      }
      case "result": {
        const tag = own(value, "tag");
        check(tag === "ok" || tag === "err");
        const side = tag === "ok" ? "ok" : "error";
        return { [side]: this.read(type[side], own(value, "val")) ?? null };
      }
    }
  }

  /** The items of a list, or of a typed array. */
  #readItems(
    value: unknown,
    typeOf: (at: number) => WitType | undefined,
  ): unknown[] {
    mustBe(Array.isArray(value) || ArrayBuffer.isView(value), "list");
    const items: unknown[] = [];
    const { length } = value as ArrayLike<unknown>;
    for (let at = 0; at < length; at++) {
      items.push(this.read(typeOf(at), own(value, `${at}`)));
    }
    return items;
  }

  #spend(characters: number): void {
    this.#left -= characters;
    if (this.#left >= 0) return;
    throw new Refusal(`of more than ${LONGEST_CALL} characters`);
  }
}

function mustBe(isRight: boolean, kind: WitType["kind"] | undefined): void {
  if (!isRight) throw new Refusal(`that is not of its type, ${kind}`);
}

/** A property of an object's own, unless it is computed. */
function own(value: unknown, name: string): unknown {
  mustBe(typeof value === "object" && value !== null, "record");
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}
