import type { RunRequest } from "../protocol/messages.ts";
import type { RunResult } from "../protocol/result.ts";
import { type Ended, toResult } from "../results/result.ts";
import type { Pool, RunOptions } from "./pool.ts";
import { Sandbox, type SandboxProcess } from "./sandbox.ts";

/** Starts in a row that may fail before waiting calls are told. */
const MAX_FAILED_STARTS = 3;

/**
 * Runs code in sandbox processes of this machine: keeps one ready, and starts
 * more while calls wait, up to a size.
 */
export class LocalPool implements Pool {
  #spawn: () => SandboxProcess;
  #size: number;
  #preparing = new Set<Sandbox>();
  #ready: Sandbox[] = [];
  #busy = new Set<Sandbox>();
  #waiting: ((lease: Lease) => void)[] = [];
  #failedStarts = 0;
  #isClosed = false;

  /**
   * @param spawn Starts a sandbox process.
   * @param size Processes at a time; with two or more, one gets ready while
   * another one runs.
   */
  constructor(spawn: () => SandboxProcess, size: number) {
    this.#spawn = spawn;
    this.#size = size;
    this.#grow();
  }

  async run(request: RunRequest, options: RunOptions = {}): Promise<RunResult> {
    const { sandbox, refusal } = await this.#lease(options.signal);
    return sandbox
      ? await sandbox.run(request, options)
      : toResult({ ending: refusal }, "", request.maxOutput);
  }

  /** Ends it once all calls are done. */
  close(): void {
    this.#isClosed = true;
    this.#grow();
  }

  #lease(signal?: AbortSignal): Promise<Lease> {
    const { promise, resolve } = Promise.withResolvers<Lease>();
    const cancel = () => {
      this.#waiting = this.#waiting.filter((waiter) => waiter !== resolve);
      resolve({ refusal: CANCELLED });
    };
    if (signal?.aborted) cancel();
    else {
      signal?.addEventListener("abort", cancel, { once: true });
      this.#waiting.push(resolve);
      this.#assign();
    }
    return promise;
  }

  /** Gives ready sandboxes to waiting calls, in the order they came. */
  #assign(): void {
    while (this.#ready.length > 0 && this.#waiting.length > 0) {
      const sandbox = this.#ready.shift();
      if (!sandbox) break;
      this.#busy.add(sandbox);
      this.#waiting.shift()?.({ sandbox });
    }
    this.#grow();
  }

  #grow(): void {
    if (this.#isClosed && this.#waiting.length === 0) {
      for (const sandbox of [...this.#ready, ...this.#preparing]) {
        sandbox.kill();
      }
      return;
    }
    const missing = () =>
      Math.max(this.#waiting.length, 1) - this.#ready.length -
      this.#preparing.size;
    const total = () =>
      this.#ready.length + this.#preparing.size + this.#busy.size;
    while (missing() > 0 && total() < this.#size) {
      this.#preparing.add(
        new Sandbox(this.#spawn(), {
          onDone: (sandbox) => this.#move(sandbox, this.#preparing),
          onReady: (sandbox) => this.#onReady(sandbox),
          onEnd: (sandbox, reason) => this.#onEnd(sandbox, reason),
        }),
      );
    }
  }

  #onReady(sandbox: Sandbox): void {
    this.#failedStarts = 0;
    this.#move(sandbox);
    this.#ready.push(sandbox);
    this.#assign();
  }

  #onEnd(sandbox: Sandbox, reason: string): void {
    if (this.#preparing.has(sandbox)) this.#failedStarts++;
    this.#move(sandbox);
    if (this.#failedStarts < MAX_FAILED_STARTS) return this.#assign();
    this.#failedStarts = 0;
    const error =
      `Python cannot start: ${reason}. Run \`mcp-run-python doctor\` to see whether its environment is complete.`;
    for (const waiter of this.#waiting.splice(0)) {
      waiter({ refusal: { status: "crashed", error } });
    }
  }

  /** Takes a sandbox from where it was, to another set if one is named. */
  #move(sandbox: Sandbox, to?: Set<Sandbox>): void {
    this.#ready = this.#ready.filter((other) => other !== sandbox);
    this.#preparing.delete(sandbox);
    this.#busy.delete(sandbox);
    to?.add(sandbox);
  }
}

/** A sandbox, or why there is none. */
type Lease =
  | { sandbox: Sandbox; refusal?: never }
  | { sandbox?: never; refusal: Ended["ending"] };

const CANCELLED: Ended["ending"] = {
  status: "cancelled",
  error: "The call was cancelled.",
};
