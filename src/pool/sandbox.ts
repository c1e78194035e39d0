import type {
  FromSandbox,
  RunRequest,
  ToSandbox,
} from "../protocol/messages.ts";
import type { Queue } from "../protocol/queue.ts";
import type { RunResult } from "../protocol/result.ts";
import { type Ended, toResult } from "../results/result.ts";
import type { RunOptions } from "./pool.ts";

/** What a sandbox process says; its end is its last word. */
export type SandboxMessage = FromSandbox | { type: "ended"; how: string };

/** A sandbox process, wherever it is. */
export interface SandboxProcess {
  send(message: ToSandbox): void;
  messages: Queue<SandboxMessage>;
  kill(): void;
}

/** What a sandbox tells its pool. */
export interface SandboxEvents {
  /** It can take a run: at first, and maybe again after each. */
  onReady(sandbox: Sandbox): void;
  /** Its run has ended; it prepares for another one, or ends. */
  onDone(sandbox: Sandbox): void;
  /** It is of no more use. */
  onEnd(sandbox: Sandbox, reason: string): void;
}

/** How patient its pool is. */
export interface SandboxOptions {
  /** Time to get ready, before it is killed. */
  readyWithinMs?: number;
}

/**
 * Time for a process to end a run by itself, grace time included, before it is
 * killed.
 */
const HARD_LIMIT_MS = 4000;
/** Long for any start; a call may be waiting for it. */
const READY_WITHIN_MS = 60_000;
/** Room for the note that says how much was left out. */
const NOTE_CHARS = 200;

/** One sandbox process, and the run that is in it. */
export class Sandbox {
  #process: SandboxProcess;
  #events: SandboxEvents;
  #run: Run | undefined;
  #failure = "";
  #isOver = false;
  #mayBeReady = false;
  #readyWithinMs: number;
  #readyTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    process: SandboxProcess,
    events: SandboxEvents,
    { readyWithinMs = READY_WITHIN_MS }: SandboxOptions = {},
  ) {
    this.#process = process;
    this.#events = events;
    this.#readyWithinMs = readyWithinMs;
    this.#expectReady();
    this.#follow();
  }

  /** Whether it has ever been ready. */
  wasReady = false;

  /** Runs code to its end; only when ready. */
  async run(request: RunRequest, options: RunOptions): Promise<RunResult> {
    const run: Run = {
      request,
      options,
      text: "",
      ended: Promise.withResolvers(),
    };
    this.#run = run;
    const cancel = () =>
      this.#giveUp({ status: "cancelled", error: "The call was cancelled." });
    const hardLimit = setTimeout(
      () => this.#giveUp({ status: "timeout", error: STUCK }),
      request.timeoutMs + HARD_LIMIT_MS,
    );
    options.signal?.addEventListener("abort", cancel);
    try {
      if (options.signal?.aborted) cancel();
      else this.#process.send({ type: "run", request });
      return toResult(await run.ended.promise, run.text, request.maxOutput);
    } finally {
      this.#run = undefined;
      clearTimeout(hardLimit);
      options.signal?.removeEventListener("abort", cancel);
      if (!this.#isOver) this.#prepareNext();
    }
  }

  #prepareNext(): void {
    this.#expectReady();
    this.#events.onDone(this);
    // After what now waits to be sent: the answer.
    setTimeout(() => this.#process.send({ type: "next" }));
  }

  #expectReady(): void {
    this.#mayBeReady = true;
    const seconds = this.#readyWithinMs / 1000;
    this.#readyTimer = setTimeout(
      () => this.#fail(`it was not ready after ${seconds} s`),
      this.#readyWithinMs,
    );
    Deno.unrefTimer(this.#readyTimer);
  }

  /** Ends its process for this reason; its run learns of it with the end. */
  #fail(reason: string): void {
    this.#failure ||= reason;
    if (this.#run) this.#process.kill();
    else this.#end(reason);
  }

  /** Ends its process. */
  kill(): void {
    this.#end("it was not needed any more");
  }

  async #follow(): Promise<void> {
    while (true) {
      const message = await this.#process.messages.next();
      switch (message.type) {
        case "ready":
          // In its run it would be given another call's, too.
          if (!this.#mayBeReady) {
            this.#fail(UNEXPECTED);
            break;
          }
          this.#mayBeReady = false;
          clearTimeout(this.#readyTimer);
          this.wasReady = true;
          if (!this.#isOver) this.#events.onReady(this);
          break;
        case "output":
          if (this.#run) this.#collect(this.#run, message);
          break;
        case "done":
          if (!this.#run) this.#fail(UNEXPECTED);
          this.#run?.ended.resolve(message);
          break;
        case "failed":
          this.#fail(message.reason);
          break;
        case "ended": {
          const reason = this.#failure || `its process ended ${message.how}`;
          const error =
            `The interpreter died: ${reason}. The next call gets a new one.`;
          this.#run?.ended.resolve({ ending: { status: "crashed", error } });
          return this.#end(reason);
        }
      }
    }
  }

  #collect(run: Run, { stream, text }: FromSandbox & { type: "output" }): void {
    const { maxOutput } = run.request;
    if (maxOutput !== null) {
      run.text += text;
      if (run.text.length > maxOutput + NOTE_CHARS) {
        const error = "The sandbox sent more output than it may.";
        return this.#giveUp({ status: "crashed", error });
      }
    }
    run.options.onOutput?.(stream, text);
  }

  #giveUp(ending: Ended["ending"]): void {
    this.#run?.ended.resolve({ ending });
    this.#end("its run was given up");
  }

  /** Whatever happens, its pool is told once, and no process stays. */
  #end(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#readyTimer);
    this.#process.kill();
    this.#events.onEnd(this, reason);
  }
}

const UNEXPECTED = "it sent a message outside the protocol";

const STUCK =
  "The code was stopped at its time limit; its process did not react and was killed.";

interface Run {
  request: RunRequest;
  options: RunOptions;
  text: string;
  ended: PromiseWithResolvers<Ended>;
}
