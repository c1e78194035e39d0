import { RunCalls } from "../host_calls/run_calls.ts";
import { HOST_CALLS, type HostCalls } from "../host_calls/host_calls.ts";
import { type Excess, RunBounds } from "../../protocol/run_bounds.ts";
import { FileReceiver } from "../../protocol/run_files.ts";
import type { Answer, RunMessage } from "../../protocol/run_messages.ts";
import type { Image, Page, RunResult } from "../../protocol/run_result.ts";
import type { RunClock } from "../../protocol/run_clock.ts";
import type { RunSetup } from "../../protocol/run_setup.ts";
import { MergedOutput } from "../../results/merged_output.ts";
import { PAGE_TYPE } from "../../protocol/displays.ts";
import { toImage } from "../../results/result_images.ts";
import { toPage } from "../../results/result_pages.ts";
import { type Ended, toResult } from "../../results/to_result.ts";
import type { RunOptions } from "./pool.ts";

export interface RunTerms {
  setup: RunSetup;
  /** The calls that a run may make, if not all that there are. */
  hostCalls?: HostCalls;
}

/**
 * Collects the messages of a run into its result. The sandbox process has checked
 * their bounds; they are checked again, as that process may be taken over.
 */
export class SandboxRun {
  #maxOutput: number | null;
  #bounds: RunBounds;
  #calls: RunCalls;
  #output = new MergedOutput();
  #images: Image[] = [];
  #pages: Page[] = [];
  #receiver = new FileReceiver();
  #removed: string[] = [];

  constructor(
    { setup, hostCalls = HOST_CALLS }: RunTerms,
    private run: RunOptions,
    { send, clock }: {
      send(answer: Answer): void;
      clock: RunClock;
    },
  ) {
    this.#maxOutput = setup.maxOutput;
    this.#bounds = new RunBounds(
      run.files ? setup : { ...setup, files: NO_FILES },
    );
    const sides = { run, send, clock };
    this.#calls = new RunCalls(hostCalls, setup.hostCalls, sides);
  }

  /** Takes a message; gives the error of a sandbox that exceeds the bounds. */
  take(message: RunMessage): string | undefined {
    const excess = this.#bounds.judge(message);
    if (excess) return `The sandbox ${DEEDS[excess]} than it may.`;
    switch (message.type) {
      case "output":
        if (this.#maxOutput !== null) {
          this.#output.take(message.stream, message.text);
        }
        this.run.onOutput?.(message.stream, message.text);
        break;
      case "display":
        if (message.mimeType === PAGE_TYPE) {
          this.#pages.push(toPage(message, this.#pages));
        } else this.#images.push(toImage(message, this.#images));
        break;
      case "ask":
      case "notify":
        this.#calls.take(message);
        break;
      case "file":
        try {
          this.#receiver.take(message);
        } catch {
          // There may be no memory for the size that it claims.
          return `The sandbox ${DEEDS.files} than it may.`;
        }
        break;
      case "removed":
        this.#removed.push(message.path);
        break;
      default:
        message satisfies never;
    }
  }

  /** Ends its calls: the run is over, or its result is not wanted any more. */
  close(): void {
    this.#calls.close();
  }

  finish(ended: Ended): RunResult {
    const { status } = ended.ending;
    const cameBack = ["success", "run-error", "timeout"].includes(status);
    const written = cameBack ? this.#receiver.files : [];
    const removed = cameBack ? this.#removed : [];
    return {
      ...toResult(ended, `${this.#output}`, this.#maxOutput),
      ...(this.#images.length > 0 ? { images: this.#images } : {}),
      ...(this.#pages.length > 0 ? { pages: this.#pages } : {}),
      ...(written.length > 0 ? { written } : {}),
      ...(removed.length > 0 ? { removed } : {}),
    };
  }
}

const NO_FILES = { bytes: 0, count: 0 };

const DEEDS: Record<Excess, string> = {
  output: "sent more output",
  pictures: "showed more pictures",
  pages: "showed more pages",
  calls: "called its host more",
  "call-size": "called its host more",
  files: "sent other files",
};
