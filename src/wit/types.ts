// What a WebAssembly component offers, in the words of WIT.

/** A type of WIT. Its parts are shared where the component shares them, and never go in circles. */
export type WitType =
  | { kind: "bool" }
  | { kind: "char" }
  | { kind: "string" }
  | IntegerType
  | { kind: "float"; bits: 32 | 64 }
  | { kind: "list"; item: WitType }
  | { kind: "tuple"; items: WitType[] }
  | { kind: "record"; fields: WitField[] }
  | { kind: "variant"; cases: { name: string; type?: WitType }[] }
  | { kind: "enum"; names: string[] }
  | { kind: "flags"; names: string[] }
  | { kind: "option"; item: WitType }
  | ({ kind: "result" } & ResultTypes);

export interface IntegerType {
  kind: "integer";
  bits: 8 | 16 | 32 | 64;
  signed: boolean;
}

/** A field of a record, or a parameter; its name as WIT has it (kebab-case). */
export interface WitField {
  name: string;
  type: WitType;
}

/** The types of the two sides of a result, each of which may have none. */
export interface ResultTypes {
  ok?: WitType;
  error?: WitType;
}

export interface FunctionName {
  /** Whole name of its interface, such as `test:types/lists@1.0.0`; none at the root. */
  interface?: string;
  /** As WIT has it (kebab-case). */
  name: string;
}

export interface WitFunction extends FunctionName {
  params: WitField[];
  result?: WitType;
  docs?: string;
}

/** What a component exports and imports. */
export interface Wit {
  functions: WitFunction[];
  /** Functions that cannot be tools, each with the reason. */
  leftOut: { name: string; reason: string }[];
  /** Names of the imports that it cannot run without: types alone are not among them. */
  imports: string[];
  world: "mcp-wasm:server/server" | undefined;
}

/** Bytes that are not a component: the message completes "it …". */
export class WitError extends Error {
  override name = "WitError";
}

/** The least and the largest integer of a type. */
export function rangeOf({ bits, signed }: IntegerType): [bigint, bigint] {
  const size = 1n << BigInt(signed ? bits - 1 : bits);
  return [signed ? -size : 0n, size - 1n];
}

/** Whether a type is bytes: base64 in JSON. */
export function isBytes(type: WitType): boolean {
  return type.kind === "list" && type.item.kind === "integer" &&
    type.item.bits === 8 && !type.item.signed;
}

/**
 * Whether jco's JavaScript has an option as undefined or its value. One whose value may
 * itself be undefined is `{tag: "some", val}` or `{tag: "none"}`.
 */
export function isPlainOption(type: WitType): boolean {
  return type.kind === "option" && !isPlainOption(type.item);
}

/** Numbers that JSON has not: texts in their place. */
export const ODD_NUMBERS: readonly string[] = ["NaN", "Infinity", "-Infinity"];

/** Whether data is a text of one character: a scalar value of Unicode. */
export function isChar(data: unknown): data is string {
  return typeof data === "string" && /^[^\ud800-\udfff]$/su.test(data);
}
