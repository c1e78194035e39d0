import type { Ending } from "../../../protocol/run_messages.ts";

const KEYS = [
  ...["status", "value", "shown"],
  ...["error", "exitCode", "errorType", "errorMessage"],
];

/** The ending that the runner tells; code may have replaced the runner. */
export function toEnding(text: string): Ending {
  const parsed: Record<string, unknown> = JSON.parse(text);
  return Object.fromEntries(
    KEYS.map((key): unknown[] => [
      key,
      typeof parsed[key] === "object" ? undefined : parsed[key],
    ]),
  );
}
