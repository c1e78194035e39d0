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
  /** It can take a run: at first, and again after each. */
  onReady(sandbox: Sandbox): void;
  /** Its run has ended; it now prepares for the next one, or ends. */
  onDone(sandbox: Sandbox): void;
  /** It is gone. */
  onEnd(sandbox: Sandbox, reason: string): void;
}

/**
 * Time for a process to end a run by itself, grace time included, before it is
 * killed.
 */
const HARD_LIMIT_MS = 4000;
/** Room for the note that says how much was left out. */
const NOTE_CHARS = 200;

/** One sandbox process, and the run that is in it. */
export class Sandbox {
  #process: SandboxProcess;
  #events: SandboxEvents;
  #runs = 0;
  #run: Run | undefined;
  #failure = "";

  constructor(process: SandboxProcess, events: SandboxEvents) {
    this.#process = process;
    this.#events = events;
    this.#follow();
  }

  /** Runs code to its end; only when ready. */
  async run(request: RunRequest, options: RunOptions): Promise<RunResult> {
    const run: Run = {
      id: ++this.#runs,
      request,
      options,
      text: "",
      ended: Promise.withResolvers(),
    };
    this.#run = run;
    this.#process.send({ type: "run", id: run.id, request });
    const cancel = () =>
      this.#giveUp({ status: "cancelled", error: "The call was cancelled." });
    const hardLimit = setTimeout(
      () => this.#giveUp({ status: "timeout", error: STUCK }),
      request.timeoutMs + HARD_LIMIT_MS,
    );
    options.signal?.addEventListener("abort", cancel);
    try {
      return toResult(await run.ended.promise, run.text, request.maxOutput);
    } finally {
      this.#run = undefined;
      this.#events.onDone(this);
      clearTimeout(hardLimit);
      options.signal?.removeEventListener("abort", cancel);
    }
  }

  /** Ends its process. */
  kill(): void {
    this.#process.kill();
  }

  async #follow(): Promise<void> {
    while (true) {
      const message = await this.#process.messages.next();
      switch (message.type) {
        case "ready":
          this.#events.onReady(this);
          break;
        case "output":
          if (message.id === this.#run?.id) this.#collect(this.#run, message);
          break;
        case "done":
          if (message.id === this.#run?.id) this.#run.ended.resolve(message);
          break;
        case "failed":
          this.#failure = message.reason;
          this.#process.kill();
          break;
        case "ended": {
          const reason = this.#failure || `its process ended ${message.how}`;
          const error =
            `The interpreter died: ${reason}. The next call gets a new one.`;
          this.#run?.ended.resolve({ ending: { status: "crashed", error } });
          return this.#events.onEnd(this, reason);
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
    this.#process.kill();
  }
}

const STUCK =
  "The code was stopped at its time limit; its process did not react and was killed.";

interface Run {
  id: number;
  request: RunRequest;
  options: RunOptions;
  text: string;
  ended: PromiseWithResolvers<Ended>;
}
