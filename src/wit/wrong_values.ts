// What errors say of values that are not of their types.
import { isBytes, ODD_NUMBERS, rangeOf, type WitType } from "./types.ts";

/** Characters of a value, and of the names of a type, in an error. */
const SHOWN = 60;
const LISTED = 300;

/** What a value must be, in words. */
export function rightOf(type: WitType | undefined): string {
  switch (type?.kind) {
    case "integer": {
      const range = `an integer from ${rangeOf(type).join(" to ")}`;
      return type.bits === 64
        ? `${range}; beyond 2^53 as a text of digits`
        : range;
    }
    case "list":
      return isBytes(type) ? "bytes as base64" : "a list";
    case "tuple":
      return `a list of ${type.items.length} items`;
    case "variant":
      return `an object whose tag is one of ${
        listOf(type.cases.map(({ name }) => name))
      }`;
    case "enum":
      return `one of ${listOf(type.names)}`;
    case "flags":
      return `a list of ${listOf(type.names)}`;
    case "option":
      return `null, or ${rightOf(type.item)}`;
    default:
      return RIGHT[type?.kind ?? "nothing"];
  }
}

const RIGHT = {
  nothing: "null",
  bool: "true or false",
  char: "a text of one character",
  string: "a text of whole characters",
  float: `a number, or ${ODD_NUMBERS.join(" or ")} as a text`,
  record: "an object",
  result: 'an object with either "ok" or "error"',
};

const listOf = (names: string[]) => names.join(", ").slice(0, LISTED);

/** For a value of another type than it must be. */
export function wrong(data: unknown, path: string, right: string): TypeError {
  return new TypeError(
    `${path || "the object of arguments"} is ${
      show(data)
    }, and must be ${right}`,
  );
}

/** The path of a field. */
export function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

/** A value of JSON, cut. */
export function show(data: unknown): string {
  const text = JSON.stringify(data) ?? "undefined";
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
