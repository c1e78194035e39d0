import { NOTE_CHARS } from "./bounds.ts";
import { DisplayTally, PAGE_TYPE } from "./displays.ts";
import { FileTally } from "./run_files.ts";
import type { Call, RunMessage } from "./run_messages.ts";
import type { RunAllowance } from "./run_setup.ts";

export type Excess =
  | "output"
  | "pictures"
  | "pages"
  | "calls"
  | "call-size"
  | "files";

/**
 * Judges the messages of one run in their order.
 *
 * The sandbox process judges them first, so that an excess costs the server
 * nothing; the server judges them again, as it does not trust that process.
 */
export class RunBounds {
  #printed = 0;
  #pictures: DisplayTally;
  #pages: DisplayTally;
  #asks = 0;
  #files: FileTally;

  constructor(private allowance: RunAllowance) {
    this.#pictures = new DisplayTally(allowance.images);
    this.#pages = new DisplayTally(allowance.pages);
    this.#files = new FileTally(allowance.files);
  }

  /** Counts a message; undefined if the run may send it after those before. */
  judge(message: RunMessage): Excess | undefined {
    switch (message.type) {
      case "output": {
        this.#printed += message.text.length;
        const most = (this.allowance.maxOutput ?? Infinity) + NOTE_CHARS;
        return this.#printed > most ? "output" : undefined;
      }
      case "display":
        if (message.mimeType === PAGE_TYPE) {
          return this.#pages.take(message) ? undefined : "pages";
        }
        return this.#pictures.take(message) ? undefined : "pictures";
      case "ask":
        if (this.#asks++ >= this.allowance.hostCalls.count) return "calls";
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

  #judgeSize(call: Call): Excess | undefined {
    return sizeOfCall(call) > this.allowance.hostCalls.size
      ? "call-size"
      : undefined;
  }
}

/** Characters that count for a call's size. */
export function sizeOfCall(call: Call): number {
  return call.name.length + call.arguments.length;
}
