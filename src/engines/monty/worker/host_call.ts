import { isObject } from "../../../protocol/fields.ts";
import type { Json } from "../../../protocol/run_result.ts";

/**
 * A call of Python to its host. Its values are plain JSON, beside `{"Bytes": base64}`,
 * and `{"BigInt": digits}` for an integer beyond 2^53.
 */
export interface HostCall {
  name: string;
  args: Json[];
  kwargs: Record<string, Json>;
}

/** A value as a MontyObject, where bytes may be base64. */
export type MontyJson = Json;

/** The answer to a call: a value, or an exception of Python. */
export type CallAnswer =
  | { value: MontyJson }
  | { error: { type: string; message: string } };

/** An exception that Python sees, and may catch. */
export class PythonError extends Error {
  /** @param type The name of its class in Python. */
  constructor(readonly type: string, message: string) {
    super(message);
  }
}

/** Gives an exception of Python as the answer; a fault of ours goes on. */
export function toFailed(error: unknown): CallAnswer {
  if (!(error instanceof PythonError)) throw error;
  const { type, message } = error;
  return { error: { type, message } };
}

export function maybeBytes(
  value: Json | undefined,
): Uint8Array<ArrayBuffer> | undefined {
  if (!isObject(value)) return undefined;
  const { Bytes: base64, ...more } = value;
  return typeof base64 === "string" && Object.keys(more).length === 0
    ? Uint8Array.fromBase64(base64)
    : undefined;
}

/** Writes a value as a MontyObject. */
export const monty = {
  none: "None",
  bool: (value: boolean) => ({ Bool: value }),
  int: (value: number) => ({ Int: value }),
  float: (value: number) => ({ Float: value }),
  text: (value: string) => ({ String: value }),
  path: (value: string) => ({ Path: value }),
  bytes: (value: Uint8Array) => ({ Bytes: value.toBase64() }),
  list: (values: MontyJson[]) => ({ List: values }),
  tuple: (...values: MontyJson[]) => ({ Tuple: values }),
  dict: (pairs: [MontyJson, MontyJson][]) => ({ Dict: pairs }),
};
