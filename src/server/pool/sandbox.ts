import { toPieces } from "../../protocol/run_files.ts";
import type { RunRequest } from "../../protocol/run_messages.ts";
import type { Channel, Ended as ProcessEnd } from "../../protocol/channel.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import { RunClock } from "../../protocol/run_clock.ts";
import { timeoutRemedy } from "../../protocol/run_setup.ts";
import {
  type FromSandbox,
  parseFromSandbox,
  type Ready,
  type RestoreEnd,
  splitBytes,
  type ToSandbox,
} from "../../protocol/sandbox_messages.ts";
import {
  type CheckpointPiece,
  PIECES_UNDER_WAY,
  type SaveEnd,
} from "../../protocol/checkpoint_messages.ts";
import type { Anew } from "../../protocol/rewinding.ts";
import { isOverWithin } from "../../deadline.ts";
import type { AnyBody } from "../../protocol/held_body.ts";
import { messageOf } from "../../errors.ts";
import { CANCELLED, type Ended } from "../../results/to_result.ts";
import {
  type BetweenRuns,
  type EndCause,
  GONE,
  NO_INTERPRETER,
  type RunOptions,
  type Saved,
  type SavedState,
  type TakePiece,
} from "./pool.ts";
import type { EngineProfile } from "../../protocol/engine_profile.ts";
import { type RunTerms, SandboxRun } from "./sandbox_run.ts";

/** A message of a sandbox process; its end is the last message. */
export type SandboxMessage = FromSandbox | ProcessEnd;

/** A sandbox process, wherever it is; one that cannot be told is of no more use. */
export type SandboxProcess = Channel<ToSandbox, FromSandbox>;

/** Reads a message of a process that may run anything. */
export function readFromSandbox(
  message: unknown,
  body?: AnyBody,
): FromSandbox {
  return parseFromSandbox(message, body) ?? {
    type: "failed",
    reason: "The sandbox sent a message outside the protocol",
  };
}

export interface SandboxEvents {
  /**
   * It can take a run: at first, and maybe again after each release.
   *
   * @param made How that came, if its interpreter was to be rewound.
   */
  onReady(sandbox: Sandbox, made?: "rewound" | Anew): void;
  /** It was released; it prepares for another lease, or ends. */
  onReleased(sandbox: Sandbox): void;
  /** Tasks of its session compute between two runs. */
  onBackground(sandbox: Sandbox): void;
  /** It is of no more use. */
  onEnd(sandbox: Sandbox, reason: string, cause: EndCause): void;
}

/** Time between two looks at a run whose clock stands. */
const LEAST_LOOK_MS = 50;
/** Time without a piece of the interpreter that is saved. */
const STILL_MS = 300_000;
/** Time for Python to get ready, unless an option says otherwise. */
const START_MS = 60_000;
/** An interpreter that gets no run in this time is kept, beside no work of others. */
const KEEP_MS = 10;

/** Times that the way to a process may take. */
export interface Patience {
  /** For a process to end a run, after its deadline, before it is killed. */
  runMs: number;
  /** The same for a run that was cancelled. */
  cancelMs: number;
  /** For a call and its answer. */
  callMs: number;
}

export interface SandboxOptions extends RunTerms {
  /** The engine of its process. */
  engine: Pick<EngineProfile, "exits">;
  patience: Patience;
  /** Time for its Python to get ready, each time. */
  startMs?: number;
  /** Whether its interpreters may be rewound. */
  rewinds?: boolean;
}

/** A sandbox process, and the run that is in it. */
export class Sandbox {
  #startLimit: ReturnType<typeof setTimeout> | undefined;
  #turn: Turn = "preparing";
  #run: RunUnderWay | undefined;
  #isOver = false;
  /** The reason for its end. */
  #reason: string | undefined;
  /** Number of its last run. */
  #runs = 0;
  #saving: SaveUnderWay | undefined;
  /** Takes the reason against a restore. */
  #restoring: ((reason: string | undefined) => void) | undefined;
  #hasRestored = false;
  #realm: string | undefined;
  #isRewound = false;
  /** Whether a run or a session has had its interpreter as it is now. */
  #isUsed = false;
  #isKept = false;
  #keeping: ReturnType<typeof setTimeout> | undefined;
  /** Whether its last lease was to a realm: the next one may be, too. */
  #hasRealms = true;
  /** Memory of its process when its interpreter was ready, and what came since. */
  #readyMiB = 0;
  #grownMiB = 0;
  /** By `performance.now()`; only when ready. */
  readySince = 0;
  /** Of the session that has it. */
  betweenRuns: BetweenRuns | undefined;

  constructor(
    private process: SandboxProcess,
    private events: SandboxEvents,
    private options: SandboxOptions,
  ) {
    this.#send({ type: "setup", setup: options.setup });
    this.#limitStart();
    this.#follow();
  }

  /**
   * The only callers whose runs may be in its interpreter: it was theirs before.
   * Undefined if it is fresh, or nobody may have it again.
   */
  get realm(): string | undefined {
    return this.#realm;
  }

  /**
   * Gives its interpreter to a realm; only when ready.
   *
   * @param realm Undefined if its next interpreter must be a fresh one.
   */
  lease(realm: string | undefined): void {
    if (this.#isRewound && this.#realm !== realm) {
      throw new Error("A rewound interpreter was given to another realm");
    }
    this.#realm = realm;
    this.#hasRealms = realm !== undefined;
    // A first result does not wait for the copy.
    if (this.hasRun && this.#hasRealms) this.#keep();
    clearTimeout(this.#keeping);
  }

  /** Has a fresh interpreter made in the place of a rewound one; only when ready. */
  renew(): void {
    this.#realm = undefined;
    this.release();
  }

  /** Whether its next interpreter may be this one. */
  get #mayRewind(): boolean {
    return this.options.rewinds === true && this.#realm !== undefined;
  }

  #keep(): void {
    if (this.#isKept || !this.options.rewinds || !this.isReady) return;
    this.#isKept = true;
    this.#send({ type: "keep" });
  }

  /** Whether it was ever given code to run, or a session that may have its own. */
  get hasRun(): boolean {
    return this.#runs > 0 || this.#hasRestored;
  }

  /** Memory of its process, as that has said last. */
  get memoryMiB(): number {
    return this.#readyMiB + this.#grownMiB;
  }

  get isReady(): boolean {
    return !this.#isOver && this.#turn === "ready";
  }

  /** Whether the interpreter that ran last is gone. */
  get isLost(): boolean {
    return this.#isOver || this.#turn === "done";
  }

  /**
   * Runs code to its end; only when ready.
   *
   * @param session.isKept Whether the interpreter stays for another run.
   * @returns Undefined if its process ended before the run started, so that
   * another sandbox can take the run.
   */
  async run(
    request: RunRequest,
    options: RunOptions,
    { isKept = false }: { isKept?: boolean } = {},
  ): Promise<RunResult | undefined> {
    // Its process may have ended since it was ready.
    if (this.#isOver) return undefined;
    // Its caller may have been told that the code does not run.
    if (options.signal?.aborted) return { ...CANCELLED, output: [] };
    options.onStart?.();
    const send = (message: ToSandbox) => this.#send(message);
    const { patience, setup: { hostCalls: { waitMs } } } = this.options;
    const clock = new RunClock({ waitMs, eachMs: patience.callMs });
    const run = new SandboxRun(this.options, options, { send, clock });
    const { promise, resolve } = Promise.withResolvers<Ended | undefined>();
    const interpreter = this.#isUsed
      ? "used"
      : this.#isRewound
      ? "rewound"
      : "fresh";
    this.#isUsed = true;
    this.#run = { id: ++this.#runs, run, end: resolve };
    this.#turn = "starting";
    const started = performance.now();
    let hardLimit: ReturnType<typeof setTimeout> | undefined;
    const limitRun = () => {
      const left = request.timeoutMs + patience.runMs - clock.usedMs;
      if (left <= 0) {
        const remedy = timeoutRemedy(this.options.setup);
        const seconds = request.timeoutMs / 1000;
        const error =
          `The code was stopped after ${seconds} s, its time limit: its process did not react, and was killed. Allow more with ${remedy}.`;
        return this.#giveUp({ status: "timeout", error });
      }
      // While its clock stands, the run has no less time left each time.
      hardLimit = setTimeout(limitRun, Math.max(left, LEAST_LOOK_MS));
    };
    limitRun();
    const { signal, interrupt } = options;
    const onInterrupt = () => send({ type: "interrupt" });
    const cancel = () => {
      send({ type: "cancel" });
      run.close();
      clearTimeout(hardLimit);
      hardLimit = setTimeout(() => this.#giveUp(CANCELLED), patience.cancelMs);
    };
    signal?.addEventListener("abort", cancel);
    interrupt?.addEventListener("abort", onInterrupt);
    try {
      this.#start(this.#runs, request, options, isKept);
      if (signal?.aborted) cancel();
      if (interrupt?.aborted) onInterrupt();
      const ended = await promise;
      if (!ended) return undefined;
      const ending = signal?.aborted ? CANCELLED : ended.ending;
      options.onEnd?.({
        wallMs: performance.now() - started,
        used: ended.used,
        replaced: this.#reason ?? maybeReplaced(ending, this.#mayRewind),
        interpreter,
      });
      return run.finish({ ...ended, ending });
    } finally {
      run.close();
      this.#run = undefined;
      clearTimeout(hardLimit);
      signal?.removeEventListener("abort", cancel);
      interrupt?.removeEventListener("abort", onInterrupt);
    }
  }

  async #start(
    id: number,
    request: RunRequest,
    { files, signal }: RunOptions,
    isKept: boolean,
  ): Promise<void> {
    for (const file of files ?? []) {
      for (const piece of toPieces(file)) {
        if (signal?.aborted || this.#isOver) return;
        await this.#send(piece);
      }
    }
    const wantsFiles = files !== undefined && request.look === undefined;
    await this.#send({ type: "run", id, request, wantsFiles, isKept });
  }

  /**
   * Saves its interpreter, which goes on; only when ready.
   *
   * @param take Takes the pieces of a checkpoint, in their order; it is called with the
   * next ones before it has taken all.
   * @returns The reasons if it cannot be saved.
   */
  async save(take: TakePiece): Promise<Saved> {
    if (!this.isReady) return GONE;
    const { promise, resolve: end } = Promise.withResolvers<Saved>();
    const taken = Promise.resolve();
    const saving = { taken, underWay: 0, bytes: 0, take, end };
    this.#saving = saving;
    this.#turn = "saving";
    void this.#endIfStill(saving, promise);
    // The server has no need to read it.
    this.process.hold?.(true);
    try {
      await this.#send({ type: "save" });
      return await promise;
    } finally {
      this.process.hold?.(false);
      this.#saving = undefined;
    }
  }

  async #endIfStill(
    saving: SaveUnderWay,
    saved: Promise<Saved>,
  ): Promise<void> {
    for (let seen = -1; seen < saving.bytes;) {
      seen = saving.bytes;
      if (await isOverWithin(saved, STILL_MS)) return;
    }
    const seconds = STILL_MS / 1000;
    this.#end(`it saved nothing of its session in ${seconds} s`, "killed");
  }

  /**
   * Puts the interpreter of a checkpoint in the place of its own; only when ready.
   *
   * @returns The reason if that cannot be done; its process then prepares a fresh
   * interpreter, for another lease.
   */
  async restore(
    { pieces, fork }: SavedState,
  ): Promise<{ reason: string } | undefined> {
    if (!this.isReady) return { reason: NO_INTERPRETER };
    this.#hasRestored = this.#isUsed = true;
    this.#realm = undefined;
    this.#turn = "restoring";
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.#restoring = resolve;
    try {
      for await (const bytes of pieces) {
        if (this.#isOver) break;
        await this.#send({ type: "piece", bytes });
      }
    } catch (error) {
      this.#end(`the session could not be read: ${messageOf(error)}`);
    }
    this.#limitStart();
    await this.#send({ type: "restore", fork });
    const reason = await promise;
    return reason === undefined ? undefined : { reason };
  }

  /** Has its session stand still until the next use, where that can be. */
  pause(): void {
    if (this.isReady) this.process.pause?.();
  }

  /** Gives its interpreter up; its process rewinds it for its realm, or makes another. */
  release(): void {
    if (this.#isOver) return;
    clearTimeout(this.#keeping);
    this.betweenRuns = undefined;
    if (!this.#mayRewind) this.#realm = undefined;
    this.events.onReleased(this);
    // After the line that now waits to be sent: the answer.
    setTimeout(() => {
      if (this.#isOver) return;
      this.#turn = "preparing";
      this.#limitStart();
      this.#send({ type: "next", ...this.#mayRewind ? { rewind: true } : {} });
    });
  }

  /** Sends a message; a process that cannot be told is of no more use. */
  async #send(message: ToSandbox): Promise<void> {
    try {
      await this.process.send(...splitBytes(message));
    } catch (error) {
      const reason = `Cannot send "${message.type}" to the sandbox: ${error}`;
      this.#giveUp({ status: "crashed", error: reason });
    }
  }

  /** A process that hangs while it gets ready must not keep a call waiting. */
  #limitStart(): void {
    const { startMs = START_MS } = this.options;
    const reason = `it was not ready after ${
      startMs / 1000
    } s, as on a machine that does too much at once`;
    this.#startLimit = setTimeout(() => this.#end(reason, "late"), startMs);
    Deno.unrefTimer(this.#startLimit);
  }

  /** Ends its process, as it is of no more use; its pool knows. */
  kill(): void {
    this.#isOver = true;
    clearTimeout(this.#startLimit);
    clearTimeout(this.#keeping);
    this.process.kill();
    const error = "The interpreter was ended.";
    this.#run?.end({ ending: { status: "crashed", error } });
  }

  async #follow(): Promise<void> {
    while (true) {
      const message = await this.process.messages.next();
      if (message.type === "ended") {
        this.#giveBack();
        const ending = this.options.engine.exits[message.code ?? 0];
        if (ending) this.#run?.end({ ending });
        return this.#end(`its process ended ${howEnded(message)}`, "exited");
      }
      if (!this.#isOver) this.#take(message);
    }
  }

  /** Each message has its turn: out of turn, it could be another run's answer. */
  #take(message: FromSandbox): void {
    switch (message.type) {
      case "ready":
        return this.#takeReady(message);
      case "started":
        if (this.#turn !== "starting" || message.run !== this.#run?.id) {
          return this.#refuse(message);
        }
        this.#turn = "running";
        return;
      case "done":
        if (this.#turn !== "running" || message.run !== this.#run?.id) {
          return this.#refuse(message);
        }
        this.#turn = message.isKept ? "ready" : "done";
        this.#grownMiB = message.used?.memoryMiB ?? this.#grownMiB;
        this.#run.run.close();
        return this.#run.end(message);
      case "piece":
      case "saved":
      case "unsaved":
        if (this.#turn !== "saving" || !this.#saving) {
          return this.#refuse(message);
        }
        return this.#takeSave(message, this.#saving);
      case "restored":
      case "unrestored":
        if (this.#turn !== "restoring") return this.#refuse(message);
        return this.#takeRestored(message);
      case "background":
        // It may have been on its way.
        if (!TELLING.includes(this.#turn)) {
          return this.#refuse(message);
        }
        this.#grownMiB = message.memoryMiB;
        this.betweenRuns?.onBackground(message);
        if (message.cpuSeconds > 0) this.events.onBackground(this);
        return;
      case "failed":
        this.#giveBack();
        return this.#end(message.reason, "retired");
      default: {
        if (this.#turn !== "running" || !this.#run) {
          return this.#refuse(message);
        }
        const error = this.#run.run.take(message);
        if (error) this.#giveUp({ status: "crashed", error });
      }
    }
  }

  #takeReady(message: Ready): void {
    const { isRewound = false, anew, memoryMiB = 0 } = message;
    const wasAsked = this.#realm !== undefined;
    if (this.#turn !== "preparing" || isRewound && !wasAsked) {
      return this.#refuse(message);
    }
    this.#turn = "ready";
    [this.#readyMiB, this.#grownMiB] = [memoryMiB, 0];
    this.readySince = performance.now();
    clearTimeout(this.#startLimit);
    this.#isRewound = isRewound;
    this.#isUsed = false;
    this.#isKept &&= isRewound;
    if (!isRewound) this.#realm = undefined;
    if (this.#hasRealms) {
      this.#keeping = setTimeout(() => this.#keep(), KEEP_MS);
      Deno.unrefTimer(this.#keeping);
    }
    const made = isRewound ? "rewound" : anew ?? NOT_SAID;
    this.events.onReady(this, wasAsked ? made : undefined);
  }

  #takeSave(
    message: CheckpointPiece<AnyBody> | SaveEnd,
    saving: SaveUnderWay,
  ): void {
    if (message.type === "unsaved") {
      this.#turn = "ready";
      const cause = message.isBusy ? "busy" : "state";
      return saving.end({ reasons: message.reasons, cause });
    }
    if (message.type === "saved") {
      this.#turn = "ready";
      // All of it is said: its process may end.
      this.#saving = undefined;
      const { bytes } = saving;
      return void saving.taken.then(
        () => saving.end({ bytes }),
        (error) => saving.end({ reasons: [messageOf(error)], cause: "store" }),
      );
    }
    if (++saving.underWay > PIECES_UNDER_WAY) return this.#refuse(message);
    saving.bytes += message.bytes.length;
    const taken = Promise.try(saving.take, message.bytes);
    saving.taken = Promise.all([saving.taken, taken]);
    // It is told at the end.
    saving.taken.catch(() => {});
    taken.catch(() => {}).then(() => {
      saving.underWay--;
      if (!this.#isOver) this.#send({ type: "taken" });
    });
  }

  #takeRestored(message: RestoreEnd): void {
    clearTimeout(this.#startLimit);
    if (message.type === "restored") {
      this.#turn = "ready";
      return this.#restoring?.(undefined);
    }
    this.#turn = "preparing";
    this.#limitStart();
    this.events.onReleased(this);
    this.#restoring?.(message.reason);
  }

  /** Leaves a run that has not started to another process. */
  #giveBack(): void {
    if (this.#turn === "starting") this.#run?.end(undefined);
  }

  #refuse({ type }: FromSandbox): void {
    this.#end(`it said "${type}" out of turn`);
  }

  #giveUp(ending: Ended["ending"]): void {
    this.#run?.end({ ending });
    const reason = `it was killed, as its run was given up (${ending.status})`;
    this.#end(reason, "killed");
  }

  /** Whatever happens, call and pool are told once, and no process stays. */
  #end(reason: string, cause: EndCause = "broken"): void {
    if (this.#isOver) return;
    this.#reason = reason;
    const error =
      `The interpreter died: ${reason}. The next call gets a new one.`;
    this.#run?.end({ ending: { status: "crashed", error } });
    this.kill();
    const isLate = cause === "killed";
    this.#saving?.end({ reasons: [error], cause: isLate ? "late" : "ended" });
    this.#restoring?.(reason);
    if (this.#turn === "ready") this.betweenRuns?.onEnd(reason, cause);
    this.events.onEnd(this, reason, cause);
  }
}

/** Its state, which says what its process may say next. */
type Turn =
  | ("preparing" | "ready" | "starting" | "running" | "done")
  | ("saving" | "restoring");

const NOT_SAID: Anew = { cause: "engine", detail: "" };

/** When tasks of a session may be told of. */
const TELLING: readonly Turn[] = ["ready", "starting", "saving", "preparing"];

interface SaveUnderWay {
  take: TakePiece;
  /** Resolves once all pieces so far are taken. */
  taken: Promise<unknown>;
  /** Pieces that are not taken yet. */
  underWay: number;
  bytes: number;
  end(saved: Saved): void;
}

/** The reason for a process to end, though it has told how its run ended. */
function maybeReplaced(
  { status }: Ended["ending"],
  mayRewind: boolean,
): string | undefined {
  const goesOn = ["success", "run-error"].includes(status) ||
    mayRewind && ["timeout", "cancelled"].includes(status);
  return goesOn ? undefined : `its process ends after a ${status}`;
}

/** Words for a process's status, or for the error by which it could not start. */
function howEnded({ reason, code, signal }: ProcessEnd): string {
  if (code === undefined) return `(${reason})`;
  return signal ? `by ${signal}` : `with code ${code}`;
}

interface RunUnderWay {
  id: number;
  run: SandboxRun;
  /** Undefined if its process ended before it took the run. */
  end(how: Ended | undefined): void;
}
