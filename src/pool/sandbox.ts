import { HOST_CALLS, type HostCalls } from "../host_calls/host_calls.ts";
import { RunCalls } from "../host_calls/run_calls.ts";
import type {
  Call,
  FromSandbox,
  RunRequest,
  ToSandbox,
} from "../protocol/messages.ts";
import type { Queue } from "../protocol/queue.ts";
import type { RunResult } from "../protocol/result.ts";
import { type Ended, NOTE_CHARS, toResult } from "../results/result.ts";
import type { RunOptions } from "./pool.ts";

/** What a sandbox process says; its end is its last word. */
export type SandboxMessage =
  | FromSandbox
  | { type: "ended"; how: string; isOutOfMemory?: boolean };

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

/**
 * Time for a process to end a run by itself, grace time included, before it is
 * killed.
 */
const HARD_LIMIT_MS = 4000;

/** One sandbox process, and the run that is in it. */
export class Sandbox {
  #process: SandboxProcess;
  #events: SandboxEvents;
  #hostCalls: HostCalls;
  #run: Run | undefined;
  #failure = "";
  #isOver = false;

  /** @param options.hostCalls What its runs may call. */
  constructor(
    process: SandboxProcess,
    events: SandboxEvents,
    { hostCalls = HOST_CALLS }: { hostCalls?: HostCalls } = {},
  ) {
    this.#process = process;
    this.#events = events;
    this.#hostCalls = hostCalls;
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
      calls: new RunCalls(this.#hostCalls, request.hostCalls, {
        run: options,
        send: (answer) => this.#process.send(answer),
      }),
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
      run.calls.close();
      this.#run = undefined;
      clearTimeout(hardLimit);
      options.signal?.removeEventListener("abort", cancel);
      if (!this.#isOver) this.#prepareNext();
    }
  }

  #prepareNext(): void {
    this.#events.onDone(this);
    // After what now waits to be sent: the answer.
    setTimeout(() => this.#process.send({ type: "next" }));
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
          this.wasReady = true;
          if (!this.#isOver) this.#events.onReady(this);
          break;
        case "output":
          if (this.#run) this.#collect(this.#run, message);
          break;
        case "ask":
        case "notify":
          if (this.#run) this.#call(this.#run, message);
          break;
        case "done":
          this.#run?.calls.close();
          this.#run?.ended.resolve(message);
          break;
        case "failed":
          this.#failure = message.reason;
          this.#process.kill();
          break;
        case "ended": {
          if (message.isOutOfMemory) {
            this.#run?.ended.resolve({ ending: HEAP_IS_FULL });
          }
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

  #call({ calls }: Run, call: Call): void {
    if (calls.take(call)) return;
    const error = "The sandbox called its host more than it may.";
    this.#giveUp({ status: "crashed", error });
  }

  #giveUp(ending: Ended["ending"]): void {
    this.#run?.ended.resolve({ ending });
    this.#end("its run was given up");
  }

  /** Whatever happens, its pool is told once, and no process stays. */
  #end(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#process.kill();
    this.#events.onEnd(this, reason);
  }
}

const STUCK =
  "The code was stopped at its time limit; its process did not react and was killed. " +
  "Allow more with the call's timeout, or --timeout.";
const HEAP_IS_FULL: Ended["ending"] = {
  status: "memory-limit",
  error:
    "JavaScript ran out of memory, of which there is half of --memory, and at least 512 MiB. " +
    "Keep data in Python's own memory, or allow more with --memory.",
};

interface Run {
  request: RunRequest;
  options: RunOptions;
  text: string;
  calls: RunCalls;
  ended: PromiseWithResolvers<Ended>;
}
