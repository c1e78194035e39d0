import type { Json } from "../../../protocol/run_result.ts";
import { type HostCall, maybeBytes, PythonError } from "./host_call.ts";

/**
 * Gives the arguments of a call of the host by their names, of which Python needs the
 * first.
 *
 * @throws {PythonError} A `TypeError`, in the words of CPython.
 */
export function bindArguments<Name extends string>(
  call: HostCall,
  names: readonly Name[],
): Partial<Record<Name, Json>> {
  const { args, kwargs } = call;
  if (args.length > names.length) {
    const given = `${args.length} were given`;
    const range = `from 1 to ${names.length} positional arguments`;
    throw wrongCall(call, `takes ${range} but ${given}`);
  }
  const bound: Partial<Record<Name, Json>> = {};
  for (const [at, value] of args.entries()) {
    const name = names[at];
    if (name) bound[name] = value;
  }
  for (const [key, value] of Object.entries(kwargs)) {
    const name = names.find((one) => one === key);
    if (!name) {
      throw wrongCall(call, `got an unexpected keyword argument '${key}'`);
    }
    if (name in bound) {
      throw wrongCall(call, `got multiple values for argument '${key}'`);
    }
    bound[name] = value;
  }
  const [first] = names;
  if (first !== undefined && !(first in bound)) {
    throw wrongCall(call, `missing 1 required positional argument: '${first}'`);
  }
  return bound;
}

/** Says of an argument, or of a part of it, of which type it must be. */
export function mustBe(
  call: HostCall,
  what: string,
  type: string,
  value: Json | undefined,
): PythonError {
  return wrongCall(call, `${what} must be ${type}, not ${typeOf(value)}`);
}

function wrongCall({ name }: HostCall, words: string): PythonError {
  return new PythonError("TypeError", `${name}() ${words}`);
}

/** The name of a value's type in Python. */
export function typeOf(value: Json | undefined): string {
  if (value === null || value === undefined) return "NoneType";
  if (Array.isArray(value)) return "list";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "number":
      return Number.isInteger(value) ? "int" : "float";
    case "string":
      return "str";
    default:
      if (maybeBytes(value)) return "bytes";
      return "BigInt" in value ? "int" : "dict";
  }
}
