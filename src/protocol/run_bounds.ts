import { NOTE_CHARS } from "./bounds.ts";
import { DisplayTally } from "./displays.ts";
import { FileTally } from "./run_files.ts";
import type { Call, RunMessage } from "./run_messages.ts";
import type { RunAllowance } from "./run_setup.ts";

/** The bound that a message exceeds. */
export type Excess = "output" | "pictures" | "calls" | "call-size" | "files";

/**
 * Judges the messages of one run in their order.
 *
 * The sandbox process judges them first, so that an excess costs the server
 * nothing; the server judges them again, as it does not trust that process.
 *
 * @example A run that may show one picture
 * ```ts
 * import { assertEquals } from "../../deps/assert.ts";
 * import { CLOSED_SETUP } from "./run_setup.ts";
 *
 * const images = { count: 1, size: 100, total: 100 };
 * const bounds = new RunBounds({ ...CLOSED_SETUP, images });
 * const picture = { mimeType: "image/svg+xml", data: "<svg/>" } as const;
 * const judged = [1, 2].map(() => bounds.judge({ type: "display", ...picture }));
 * assertEquals(judged, [undefined, "pictures"]);
 * ```
 */
export class RunBounds {
  #allowance: RunAllowance;
  #printed = 0;
  #displays: DisplayTally;
  #asks = 0;
  #files: FileTally;

  /** Starts with nothing sent. */
  constructor(allowance: RunAllowance) {
    this.#allowance = allowance;
    this.#displays = new DisplayTally(allowance.images);
    this.#files = new FileTally(allowance.files);
  }

  /** Counts a message; undefined if the run may send it after those before. */
  judge(message: RunMessage): Excess | undefined {
    switch (message.type) {
      case "output":
        return this.#judgeOutput(message.text);
      case "display":
        return this.#displays.take(message) ? undefined : "pictures";
      case "ask":
        if (this.#asks++ >= this.#allowance.hostCalls.count) return "calls";
        return this.#judgeSize(message);
      case "notify":
        return this.#judgeSize(message);
      case "file":
        return this.#files.take(message) ? undefined : "files";
      case "removed":
        return this.#files.takeRemoved(message.path) ? undefined : "files";
      default:
        // A new kind of message needs a bound.
        return message satisfies never;
    }
  }

  #judgeOutput({ length }: string): Excess | undefined {
    const { maxOutput } = this.#allowance;
    this.#printed += length;
    const isMore = maxOutput !== null && this.#printed > maxOutput + NOTE_CHARS;
    return isMore ? "output" : undefined;
  }

  #judgeSize(call: Call): Excess | undefined {
    return sizeOfCall(call) > this.#allowance.hostCalls.size
      ? "call-size"
      : undefined;
  }
}

/** Characters that count for a call's size. */
export function sizeOfCall(call: Call): number {
  return call.name.length + call.arguments.length;
}
