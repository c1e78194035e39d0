/**
 * The host's answers to Python's calls: written here, read by
 * `runner/host_calls.py`.
 *
 * @module
 */
import type { Answer } from "./run_messages.ts";
import type { Json } from "./run_result.ts";

/** Python's exceptions that a call to the host may raise. */
export type PythonError =
  | "PermissionError"
  | "RuntimeError"
  | "TimeoutError"
  | "TypeError"
  | "ValueError";

/** The answer to a call that has succeeded. */
export function toAnswer(id: number, value: Json): Answer {
  return { type: "answer", id, answer: JSON.stringify({ value }) };
}

/** The answer to a call that raises an exception in Python. */
export function toRefusal(
  id: number,
  error: PythonError,
  message: string,
): Answer {
  return { type: "answer", id, answer: JSON.stringify({ error, message }) };
}
