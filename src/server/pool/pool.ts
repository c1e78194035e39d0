import type { CallingRun } from "../host_calls/host_call.ts";
import type { AnyBody } from "../../protocol/held_body.ts";
import type { RunRequest, Stream } from "../../protocol/run_messages.ts";
import type { AnewCause } from "../../protocol/rewinding.ts";
import type { EngineProfile } from "../../protocol/engine_profile.ts";
import type { RunFile } from "../../protocol/run_files.ts";
import type { RunResult, Status } from "../../protocol/run_result.ts";
import type {
  PoolSizes,
  ServedEnvironment,
} from "../../protocol/server_settings.ts";
import type {
  PoolStatus,
  Unready,
  Waits,
} from "../../protocol/server_status.ts";
import type { BackgroundUse, Usage } from "../../protocol/sandbox_messages.ts";

export interface RunOptions extends CallingRun {
  /**
   * The trust that its code has: only runs of the same realm may have its interpreter
   * after it, rewound. Undefined if none may.
   */
  realm?: string | undefined;
  /** Ends the run; its result is then `cancelled`. */
  signal?: AbortSignal;
  /** Raises KeyboardInterrupt in the code, which may go on. */
  interrupt?: AbortSignal;
  /** Called as the code is given to an interpreter. */
  onStart?(): void;
  /** Takes each piece of output as it comes. */
  onOutput?(stream: Stream, text: string): void;
  /**
   * Files for its working folder; those that it writes come back in its result.
   * If undefined, none is put in and none comes back.
   */
  files?: readonly RunFile[];
  /** Takes the figures of a run that has begun: its result comes next. */
  onEnd?: ((figures: RunFigures) => void) | undefined;
}

/** Time and other use of a run, for the logs. */
export interface RunFigures {
  /** Its time in a sandbox, in milliseconds. */
  wallMs: number;
  used?: Usage | undefined;
  /** The reason for which its process serves no other run; undefined if it may. */
  replaced: string | undefined;
  interpreter: InterpreterKind;
}

/** An interpreter at the start of a run; used if it has the session's state. */
export type InterpreterKind = "fresh" | "rewound" | "used";

/** The thing that a call asks for, or the result of a call that cannot have it. */
export type OrRefused<T> =
  | T & { refused?: never }
  | { [K in keyof T]?: never } & { refused: RunResult };

/** The result of a call whose code does not run. */
export function refusal(
  status: Exclude<Status, "success">,
  error: string,
): RunResult {
  return { status, error, output: [] };
}

/** Tells the caller of a run that there is no place for it. */
export function describeFull(
  { running, waiting }: PoolSizes,
  retrySeconds: number,
): string {
  return `Cannot run this now as all places are taken: ${running} to run, ${waiting} to wait. Try again in about ${retrySeconds} s. The user can allow more with --max-concurrency.`;
}

/** Tells the caller of a run that it has waited too long. */
export function describeWaited(seconds: number, retrySeconds: number): string {
  return `Cannot run this now: it has waited ${seconds} s for its turn, its session or its packages, which is the longest that a call may. The code was not run. Try again in about ${retrySeconds} s. The user can allow more with --max-wait.`;
}

/** The ways an interpreter's process comes to its end, for counting. */
export type EndCause =
  /** By itself, or by another program. */
  | "exited"
  /** With its run, or while it saved a session. */
  | "killed"
  /** It did not get ready in time. */
  | "late"
  /** It said that it is of no more use. */
  | "retired"
  /** It, or the way to it, broke the protocol. */
  | "broken";

/** How an interpreter was made after a run; `caller` is anew, for another caller. */
export type Made = "rewound" | AnewCause | "caller";

/** Starts a pool in an environment: the server's own, or that of an install. */
export type StartPool = (
  environment: ServedEnvironment,
  options: {
    engine: EngineProfile;
    /** Whether it is there as long as the server. */
    isOwn: boolean;
    /** Called for each process that has ended and is replaced. */
    onReplaced(cause: EndCause): void;
    /** Called for each interpreter that was rewound, or made anew in place of that. */
    onMade(how: Made): void;
  },
) => Pool;

/** Interpreters of one environment, wherever they are. */
export interface Pool {
  /** Runs code to its end in a clean interpreter; failing is a result. */
  run(request: RunRequest, options?: RunOptions): Promise<RunResult>;
  /** Opens a session as soon as an interpreter is ready for it. */
  open(options?: SessionOptions): Promise<OrRefused<{ session: Session }>>;
  readonly status: PoolStatus;
  readonly waits: Omit<Waits, "packages">;
  /** Why no call can run; undefined if Python is ready, or was when it was last tried. */
  readonly unready: Unready | undefined;
  /** Seconds that all runs which wait may take, if all places are taken. */
  readonly retrySeconds: number;
  /** Ends the pool once all calls are done; its sessions go on. */
  close(): void;
}

export type SessionOptions = Pick<RunOptions, "client" | "realm" | "signal"> & {
  /** The checkpoint of a session of the same environment: it goes on, or is forked. */
  from?: SavedState;
};

export interface SavedState {
  /** The pieces of a checkpoint, of at most 1 MiB each. */
  pieces: AsyncIterable<AnyBody> | Iterable<AnyBody>;
  /** Whether the session that saved it goes on as well. */
  fork: boolean;
}

/** Tells a program that a session's state is gone. */
export const LOST =
  "The interpreter of this session has ended, and with it the session's variables and files. Open a new session.";

/** Takes a piece of a checkpoint; resolves once it has gone on its way. */
export type TakePiece = (piece: AnyBody) => Promise<void>;

/** Bytes of a checkpoint; or the reasons, as sentences, why there is none. */
export type Saved =
  | { bytes: number }
  | { reasons: string[]; cause?: UnsavedCause };

/** Why a session could not be saved, for counting. */
export type UnsavedCause =
  /** A run was under way. */
  | "busy"
  /** It took too long. */
  | "late"
  /** Its interpreter has ended. */
  | "ended"
  /** The store did not take it. */
  | "store"
  /** Its state cannot be saved, as its interpreter says. */
  | "state";

export const NO_INTERPRETER = "the interpreter of the session has ended";
/** Of a session that cannot be saved any more. */
export const GONE: Saved = { reasons: [NO_INTERPRETER], cause: "ended" };

/** The events of a session between two of its runs. */
export interface BetweenRuns {
  onBackground(use: BackgroundUse): void;
  /** Its interpreter has ended, for this reason. */
  onEnd(reason: string, cause?: EndCause): void;
}

/**
 * An interpreter that serves many runs of one client, one after another: each
 * finds the state that the runs before have left. No other session ever sees it.
 *
 * A run that times out or is cancelled, and comes back in time, leaves the state
 * as it is; a run that is killed or crashes takes the state with it.
 */
export interface Session extends AsyncDisposable {
  /** Whether its interpreter has ended, with all state. */
  readonly isLost: boolean;
  /** Tells of the time between its runs, from now on. */
  follow(events: BetweenRuns): void;
  /** Runs code after the runs asked for before; a lost state is a result. */
  run(request: RunRequest, options?: RunOptions): Promise<RunResult>;
  /**
   * Saves its state after the runs asked for before; the session goes on.
   *
   * @param take Takes the pieces of a checkpoint, in their order.
   * @param isUrgent Whether others wait: it is not saved unless it rests soon.
   */
  save(take: TakePiece, isUrgent?: boolean): Promise<Saved>;
  /** Cancels its runs, and ends its interpreter with all that is in it. */
  close(): Promise<void>;
}
