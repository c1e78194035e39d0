import type { Progress } from "../../protocol/run_messages.ts";
import { head } from "../../results/cut.ts";
import { type HostCall, hostCall } from "./host_call.ts";

export interface HostCalls {
  /** Python waits for their answer. */
  asks: readonly HostCall[];
  /** They are not answered; only the latest of a name counts. */
  notifications: readonly HostCall[];
}

/** `notify_progress(message, progress=None, total=None)`. */
const notifyProgress: HostCall = hostCall({
  name: "notify_progress",
  parse: parseProgress,
  answer(progress, { run }) {
    run.onProgress?.(progress);
    return null;
  },
});

/**
 * Every call that a run may make. A new call is added here, and has a function in
 * the engine's `mcp_run_python.py`.
 */
export const HOST_CALLS: HostCalls = {
  asks: [],
  notifications: [notifyProgress],
};

const LONGEST_MESSAGE = 1010;
const LARGEST = Number.MAX_SAFE_INTEGER;

/** Reads the progress that the code tells. */
export function parseProgress(data: unknown): Progress {
  const { message, progress, total, drawn } = { ...Object(data) };
  if (typeof message !== "string") {
    throw new TypeError(`message must be a string, not ${typeof message}`);
  }
  const numbers = Object.entries<unknown>({ progress, total })
    .filter(([, value]) => value !== null && value !== undefined);
  for (const [name, value] of numbers) {
    const fits = typeof value === "number" && value >= 0 && value <= LARGEST;
    if (!fits) throw new RangeError(`${name} must be from 0 to 2**53 - 1`);
  }
  return {
    message: toLine(head(message, LONGEST_MESSAGE)),
    ...Object.fromEntries(numbers),
    isDrawn: drawn === true,
  };
}

/** Without line breaks, control characters, and halves of surrogate pairs. */
function toLine(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
}
