import { HOST_CALLS, type HostCalls } from "../host_calls/host_calls.ts";
import { RunCalls } from "../host_calls/run_calls.ts";
import type {
  Call,
  Display,
  FileRemoved,
  FromSandbox,
  Output,
  RunRequest,
  ToSandbox,
} from "../../protocol/run_messages.ts";
import {
  type FilePiece,
  FileReceiver,
  toPieces,
} from "../../protocol/run_files.ts";
import type { Queue } from "../../protocol/queue.ts";
import { DisplayTally } from "../../protocol/displays.ts";
import type { Image, RunResult } from "../../protocol/run_result.ts";
import { toImage } from "../../results/result_images.ts";
import {
  CANCELLED,
  type Ended,
  NOTE_CHARS,
  toResult,
} from "../../results/to_result.ts";
import type { RunOptions } from "./pool.ts";

/** What a sandbox process says; its end is its last word. */
export type SandboxMessage =
  | FromSandbox
  | { type: "ended"; how: string; isOutOfMemory?: boolean };

/** A sandbox process, wherever it is. */
export interface SandboxProcess {
  send(message: ToSandbox): void | Promise<void>;
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
/** The same for a run that was cancelled. */
const CANCEL_LIMIT_MS = 900;
/** Time for Python to get ready, if nothing else is said. */
const START_MS = 60_000;

/** What holds for all that a sandbox runs. */
export interface SandboxOptions {
  /** What its runs may call, if not all that there is. */
  hostCalls?: HostCalls;
  /** Time for its Python to get ready, each time. */
  startMs?: number;
}

/** One sandbox process, and the run that is in it. */
export class Sandbox {
  #process: SandboxProcess;
  #events: SandboxEvents;
  #hostCalls: HostCalls;
  #startMs: number;
  #startLimit: ReturnType<typeof setTimeout> | undefined;
  #turn: Turn = "preparing";
  #run: Run | undefined;
  #isOver = false;

  constructor(
    process: SandboxProcess,
    events: SandboxEvents,
    { hostCalls = HOST_CALLS, startMs = START_MS }: SandboxOptions = {},
  ) {
    this.#process = process;
    this.#events = events;
    this.#hostCalls = hostCalls;
    this.#startMs = startMs;
    this.#limitStart();
    this.#follow();
  }

  /** Runs that it was given. */
  #runs = 0;

  /** Whether it was ever given code to run. */
  get hasRun(): boolean {
    return this.#runs > 0;
  }

  /**
   * Runs code to its end; only when ready.
   *
   * @returns Undefined if its process ended before the run started, so that
   * another one can take it.
   */
  async run(
    request: RunRequest,
    options: RunOptions,
  ): Promise<RunResult | undefined> {
    const run: Run = {
      isStarted: false,
      request,
      options,
      text: "",
      images: [],
      shown: new DisplayTally(request.images),
      calls: new RunCalls(this.#hostCalls, request.hostCalls, {
        run: options,
        send: (answer) => this.#process.send(answer),
      }),
      ended: Promise.withResolvers(),
      receiver: options.files && new FileReceiver(options.files.bounds),
      removed: [],
    };
    this.#run = run;
    this.#turn = "running";
    let hardLimit = setTimeout(
      () => this.#giveUp({ status: "timeout", error: stuck(request) }),
      request.timeoutMs + HARD_LIMIT_MS,
    );
    const cancel = () => {
      this.#process.send({ type: "cancel" });
      run.calls.close();
      clearTimeout(hardLimit);
      hardLimit = setTimeout(() => this.#giveUp(CANCELLED), CANCEL_LIMIT_MS);
    };
    options.signal?.addEventListener("abort", cancel);
    try {
      this.#send(request, options).catch((error) =>
        this.#giveUp({ status: "crashed", error: String(error) })
      );
      if (options.signal?.aborted) cancel();
      const ended = await run.ended.promise;
      if (ended === NEVER_STARTED) return undefined;
      const ending = options.signal?.aborted ? CANCELLED : ended.ending;
      return {
        ...toResult({ ...ended, ending }, run.text, request.maxOutput),
        ...(run.images.length > 0 ? { images: run.images } : {}),
        ...writtenBy(run, ending),
      };
    } finally {
      run.calls.close();
      this.#run = undefined;
      clearTimeout(hardLimit);
      options.signal?.removeEventListener("abort", cancel);
      if (!this.#isOver) this.#prepareNext();
    }
  }

  async #send(
    request: RunRequest,
    { files, signal }: RunOptions,
  ): Promise<void> {
    const id = ++this.#runs;
    if (!files) return await this.#process.send({ type: "run", id, request });
    for (const file of files.put) {
      for (const piece of toPieces(file)) {
        if (signal?.aborted || this.#isOver) return;
        await this.#process.send(piece);
      }
    }
    await this.#process.send({ type: "run", id, request, wantsFiles: true });
  }

  #prepareNext(): void {
    this.#events.onDone(this);
    // After what now waits to be sent: the answer.
    setTimeout(() => {
      if (this.#isOver) return;
      this.#turn = "preparing";
      this.#limitStart();
      this.#process.send({ type: "next" });
    });
  }

  /** A process that hangs while it gets ready must not keep a call waiting. */
  #limitStart(): void {
    const seconds = this.#startMs / 1000;
    this.#startLimit = setTimeout(
      () =>
        this.#end(
          `it was not ready after ${seconds} s; allow more with --start-timeout`,
        ),
      this.#startMs,
    );
    Deno.unrefTimer(this.#startLimit);
  }

  /** Ends its process, as it is of no more use; its pool knows. */
  kill(): void {
    this.#isOver = true;
    clearTimeout(this.#startLimit);
    this.#process.kill();
  }

  async #follow(): Promise<void> {
    while (true) {
      const message = await this.#process.messages.next();
      if (message.type === "ended") {
        this.#giveBack();
        if (message.isOutOfMemory) {
          this.#run?.ended.resolve({ ending: HEAP_IS_FULL });
        }
        return this.#end(`its process ended ${message.how}`);
      }
      if (!this.#isOver) this.#take(message);
    }
  }

  /** Each message has its turn: one out of turn could be another run's answer. */
  #take(message: FromSandbox): void {
    switch (message.type) {
      case "ready":
        if (this.#turn !== "preparing") return this.#refuse(message);
        this.#turn = "ready";
        clearTimeout(this.#startLimit);
        return this.#events.onReady(this);
      case "started":
        if (this.#turn !== "running" || message.run !== this.#runs) {
          return this.#refuse(message);
        }
        if (this.#run) this.#run.isStarted = true;
        return;
      case "done":
        if (this.#turn !== "running" || message.run !== this.#runs) {
          return this.#refuse(message);
        }
        this.#turn = "done";
        this.#run?.calls.close();
        return this.#run?.ended.resolve(message);
      case "failed":
        this.#giveBack();
        return this.#end(message.reason);
      default:
        if (!this.#run || this.#turn !== "running") {
          return this.#refuse(message);
        }
        return this.#takeFromRun(this.#run, message);
    }
  }

  /** Leaves a run that has not started to another process. */
  #giveBack(): void {
    if (this.#run?.isStarted === false) {
      this.#run.ended.resolve(NEVER_STARTED);
    }
  }

  #takeFromRun(run: Run, message: FromRun): void {
    // Any message of a run shows that the process has started the run.
    run.isStarted = true;
    switch (message.type) {
      case "output":
        return this.#collect(run, message);
      case "display":
        return this.#show(run, message);
      case "ask":
      case "notify":
        return this.#call(run, message);
      case "file":
      case "removed":
        return this.#keep(run, message);
    }
  }

  #refuse({ type }: FromSandbox): void {
    this.#end(`it said "${type}" out of turn`);
  }

  #collect(run: Run, { stream, text }: Output): void {
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

  #show({ shown, images }: Run, display: Display): void {
    if (shown.take(display)) return void images.push(toImage(display, images));
    const error = "The sandbox showed more pictures than it may.";
    this.#giveUp({ status: "crashed", error });
  }

  #call({ calls }: Run, call: Call): void {
    if (calls.take(call)) return;
    const error = "The sandbox called its host more than it may.";
    this.#giveUp({ status: "crashed", error });
  }

  #keep({ receiver, removed }: Run, message: FilePiece | FileRemoved): void {
    try {
      if (message.type === "removed") removed.push(message.path);
      else if (receiver) return receiver.take(message);
      if (receiver && removed.length <= receiver.bounds.count) return;
    } catch {
      // What is wrong with it helps nobody: it is a liar.
    }
    const error = "The sandbox sent other files than it may.";
    this.#giveUp({ status: "crashed", error });
  }

  #giveUp(ending: Ended["ending"]): void {
    this.#run?.ended.resolve({ ending });
    this.#end("its run was given up");
  }

  /** Whatever happens, call and pool are told once, and no process stays. */
  #end(reason: string): void {
    if (this.#isOver) return;
    this.kill();
    const error =
      `The interpreter died: ${reason}. The next call gets a new one.`;
    this.#run?.ended.resolve({ ending: { status: "crashed", error } });
    this.#events.onEnd(this, reason);
  }
}

/** What it does, and so what it may say next. */
type Turn = "preparing" | "ready" | "running" | "done";

function stuck({ timeoutMs }: RunRequest): string {
  return `The code was stopped after ${
    timeoutMs / 1000
  } s, its time limit: its process did not react, and was killed. Allow more with the call's timeout, or --timeout.`;
}

const HEAP_IS_FULL: Ended["ending"] = {
  status: "memory-limit",
  error:
    "JavaScript ran out of memory, of which there is half of --memory, and at least 512 MiB. " +
    "Keep data in Python's own memory, or allow more with --memory.",
};

/** What comes of a run on its way. */
type FromRun = Output | Display | Call | FilePiece | FileRemoved;

/** Its process ended before it took the run. */
const NEVER_STARTED = Symbol("never started");

interface Run {
  /** Whether the process may have done anything of it. */
  isStarted: boolean;
  request: RunRequest;
  options: RunOptions;
  text: string;
  images: Image[];
  shown: DisplayTally;
  calls: RunCalls;
  ended: PromiseWithResolvers<Ended | typeof NEVER_STARTED>;
  receiver: FileReceiver | undefined;
  removed: string[];
}

/** Of a run that ended by itself, or was stopped and came back. */
function writtenBy(
  { receiver, removed }: Run,
  { status }: Ended["ending"],
): Pick<RunResult, "written" | "removed"> {
  const cameBack = ["success", "run-error", "timeout"].includes(status);
  if (!cameBack || !receiver) return {};
  const { files: written } = receiver;
  return {
    ...(written.length > 0 ? { written } : {}),
    ...(removed.length > 0 ? { removed } : {}),
  };
}
