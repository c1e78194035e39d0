// The host's answers to Python's calls, which `runner/host_calls.py` reads.
import type { Answer } from "./run_messages.ts";
import type { Json } from "./run_result.ts";

/** Python's exceptions that a call to the host may raise. */
export type PythonError =
  | "PermissionError"
  | "RuntimeError"
  | "TimeoutError"
  | "TypeError"
  | "ValueError";

export function toAnswer(id: number, value: Json): Answer {
  return { type: "answer", id, answer: JSON.stringify({ value }) };
}

export function toRefusal(
  id: number,
  error: PythonError,
  message: string,
): Answer {
  return { type: "answer", id, answer: JSON.stringify({ error, message }) };
}
