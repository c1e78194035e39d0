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
  const text = new Text();
  try {
    write(text, type, value);
    return text.toString();
  } catch (error) {
    // A value may have properties that throw.
    throw error instanceof Refusal
      ? new TypeError(error.message)
      : new TypeError("the component gave a value that cannot be read");
  }
}

class Refusal extends Error {}

/** JSON text in pieces, up to a bound. */
class Text {
  readonly #pieces: string[] = [];
  #length = 0;

  add(piece: string): void {
    this.#length += piece.length;
    if (this.#length > LONGEST_CALL) {
      throw new Refusal(
        `the component gave a value of more than ${LONGEST_CALL} characters`,
      );
    }
    this.#pieces.push(piece);
  }

  /** Adds items between commas. */
  addAll<T>(items: Iterable<T>, add: (item: T) => void): void {
    let isFirst = true;
    for (const item of items) {
      if (!isFirst) this.add(",");
      isFirst = false;
      add(item);
    }
  }

  toString(): string {
    return this.#pieces.join("");
  }
}

function write(text: Text, type: WitType | undefined, value: unknown): void {
  const check = (isRight: boolean) => {
    if (isRight) return;
    throw new Refusal(
      `the component gave a value that is not of its type, ${type?.kind}`,
    );
  };
  const writeField = (
    key: string,
    type: WitType | undefined,
    value: unknown,
  ) => {
    text.add(`${JSON.stringify(key)}:`);
    write(text, type, value);
  };
  switch (type?.kind) {
    case undefined:
      return text.add("null");
    case "bool":
      check(typeof value === "boolean");
      return text.add(String(value));
    case "char":
      check(isChar(value));
      return text.add(JSON.stringify(value));
    case "string":
      check(typeof value === "string");
      return text.add(JSON.stringify(value));
    case "enum":
      check(type.names.some((name) => name === value));
      return text.add(JSON.stringify(value));
    case "integer": {
      const isBig = typeof value === "bigint";
      check(type.bits === 64 ? isBig : Number.isInteger(value));
      const integer = isBig ? value : BigInt(value as number);
      const [least, most] = rangeOf(type);
      check(integer >= least && integer <= most);
      const isSafe = Number.isSafeInteger(Number(integer));
      return text.add(isSafe ? `${integer}` : `"${integer}"`);
    }
    case "float":
      check(typeof value === "number");
      if (Object.is(value, -0)) return text.add("-0");
      return text.add(
        ODD_NUMBERS.includes(String(value)) ? `"${value}"` : String(value),
      );
    case "list":
      if (isBytes(type)) {
        check(value instanceof Uint8Array);
        const bytes = new Uint8Array(value as Uint8Array);
        return text.add(JSON.stringify(bytes.toBase64()));
      }
      text.add("[");
      text.addAll(
        itemsOf(value, check),
        (item) => write(text, type.item, item),
      );
      return text.add("]");
    case "tuple": {
      const items = itemsOf(value, check);
      text.add("[");
      text.addAll(type.items, (item) => write(text, item, items.next().value));
      check(items.next().done === true);
      return text.add("]");
    }
    case "record": {
      const fields = type.fields.map(({ name, type }) => ({
        key: toSnakeCase(name),
        type,
        value: own(value, toCamelCase(name), check),
      })).filter(({ type, value }) => !isNone(type, value, check));
      text.add("{");
      text.addAll(
        fields,
        ({ key, type, value }) => writeField(key, type, value),
      );
      return text.add("}");
    }
    case "variant": {
      const tag = own(value, "tag", check);
      const found = type.cases.find(({ name }) => name === tag);
      check(found !== undefined);
      const val = own(value, "val", check);
      text.add(`{"tag":${JSON.stringify(tag)}`);
      if (found?.type && !isNone(found.type, val, check)) {
        text.add(",");
        writeField("value", found.type, val);
      }
      return text.add("}");
    }
    case "flags": {
      const names = type.names
        .filter((name) => own(value, toCamelCase(name), check) === true);
      return text.add(JSON.stringify(names));
    }
    case "option": {
      if (isNone(type, value, check)) return text.add("null");
      const some = isPlainOption(type) ? value : own(value, "val", check);
      if (type.item.kind !== "option") return write(text, type.item, some);
      text.add("{");
      writeField("some", type.item, some);
      return text.add("}");
    }
    case "result": {
      const tag = own(value, "tag", check);
      check(tag === "ok" || tag === "err");
      const val = own(value, "val", check);
      text.add("{");
      if (tag === "ok") writeField("ok", type.ok, val);
      else writeField("error", type.error, val);
      return text.add("}");
    }
  }
}

type Check = (isRight: boolean) => void;

/** Whether a value is an option without a value. */
function isNone(type: WitType, value: unknown, check: Check): boolean {
  if (type.kind !== "option") return false;
  if (isPlainOption(type)) return value === undefined || value === null;
  const tag = own(value, "tag", check);
  check(tag === "none" || tag === "some");
  return tag === "none";
}

/** A property of an object's own, unless it is computed. */
function own(value: unknown, name: string, check: Check): unknown {
  check(typeof value === "object" && value !== null);
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

/** The items of a list, or of a typed array. */
function* itemsOf(value: unknown, check: Check): Generator<unknown> {
  check(Array.isArray(value) || ArrayBuffer.isView(value));
  const { length } = value as ArrayLike<unknown>;
  for (let at = 0; at < length; at++) yield own(value, `${at}`, check);
}
