import type {
  Answer,
  Ending,
  RunMessage,
  RunRequest,
} from "../protocol/run_messages.ts";
import type {
  CheckpointPiece,
  SaveEnd,
} from "../protocol/checkpoint_messages.ts";
import type { NetworkRequest } from "../protocol/http_exchange.ts";
import type { RunFile } from "../protocol/run_files.ts";
import type { RunSetup } from "../protocol/run_setup.ts";
import type { EngineProfile } from "../protocol/engine_profile.ts";
import type { Json } from "../protocol/run_result.ts";
import type { Anew } from "../protocol/rewinding.ts";
import type { Mount } from "../grants/mounts.ts";

/**
 * An engine as launcher, server, `doctor` and command line know it: data, and functions
 * that load what they need. A row imports no module of Node, as the server's start
 * waits for it.
 */
export interface EngineRow {
  profile: EngineProfile;
  /** The module of its host side, which gives `openEngine`. */
  host: URL;
  /** Modules of its workers, whose npm packages Deno must have. */
  workers: readonly URL[];
  /** A file of its npm package, if it has one. */
  npm?: string;
  /** Flags of Deno for its processes; `memoryMiB` is that of an interpreter. */
  flags(memoryMiB: number): string[];
  /** Stack that code may use in a process with these flags, if the engine bounds it. */
  stackKiB?: number;
  /** Writable memory that its process maps, and hardly touches. */
  mappedMiB: number;
  /** Names of an environment's files; undefined if it has no environments. */
  environmentFiles?: readonly string[];
  /**
   * The facts that `doctor` shows of an environment's folder; undefined if it has none.
   */
  examine?(folder: string): Promise<Examined>;
  /** Texts of the options that choose its own files. */
  options?: { runtime: { flags: string; help: string }; dist: string };
  /**
   * Finds its own files: those that came with this program, or those of a folder.
   *
   * @throws {UserError} If the folder does not hold them.
   */
  findRuntime(folder?: string): Promise<FoundRuntime>;
}

/** Lines for people, and facts for programs. */
export interface Examined {
  lines: string[];
  facts: Record<string, Json>;
}

/** An engine's own files on this machine. */
export interface FoundRuntime {
  version: string;
  /** Version of its Python. */
  python?: string;
  /** Paths that its processes read: the scope `runtime`. */
  places: readonly string[];
  /** The form in which its processes get it: JSON. */
  files: unknown;
  /** All that an environment without packages depends on. */
  identity: readonly unknown[];
}

/** The options of an engine, from the argument of its process. */
export interface EngineOptions<Files = unknown> {
  /** The `files` of its `FoundRuntime`. */
  runtime: Files;
  /** Folder of the environment; empty if the engine has none. */
  environment: string;
  /** Memory of one interpreter. */
  memoryMiB: number;
  /** The row's, if this process has the row's flags. */
  stackKiB?: number;
  /** Size of the files that a run makes. */
  maxFilesMiB: number;
  /** Files, folders and links that a run may make. */
  maxFiles: number;
  /** Folders of this machine that Python sees. */
  mounts?: readonly Mount[];
  /** Paths that a worker gives up before code runs: see `toOwnReads()`. */
  ownReads?: readonly string[];
}

/** The main export of an engine's `host`, called `openEngine`. */
export type OpenEngine<Files = unknown> = (
  options: EngineOptions<Files>,
  serveNetwork?: ServeNetwork,
) => Promise<Engine>;

/** The interface between a sandbox process and its engine. */
export interface Engine {
  /**
   * Makes an interpreter that is ready to run: a fresh interpreter, or that of
   * a saved session.
   *
   * @param from The checkpoint of an interpreter of the same environment: hostile.
   * @param onWord Called for each message of the interpreter, before the message
   * is read, until the interpreter is gone.
   * @throws {Error} If it cannot start; the message says why.
   */
  prepare(
    setup: RunSetup,
    onWord: () => void,
    from?: SavedInterpreter,
  ): Promise<Interpreter>;
  /** The most bytes of a checkpoint. */
  readonly mostSaved: number;
  /** After so many a process makes room for a new one; 100 if absent. */
  readonly interpretersPerProcess?: number;
}

export interface SavedInterpreter {
  /** A checkpoint; its memory is given away. */
  bytes: Uint8Array;
  /** Whether it is a copy, whose random numbers must differ. */
  fork: boolean;
}

/** Takes a message of a run; the code waits while too much is under way. */
export type OnMessage = (message: RunMessage) => Promise<void>;

export interface Run {
  request: RunRequest;
  /** To put into the working folder; their memory is given away. */
  files?: RunFile[];
  /** Whether the files that the code writes there are to come back. */
  wantsFiles?: boolean;
  /** Whether the interpreter stays for another run, so that it is to survive a `MemoryError`. */
  isKept?: boolean;
}

/** An interpreter; it never throws: it ends. */
export interface Interpreter {
  /**
   * Runs code to its end. A later run, once this one has ended, finds the state
   * that this one left: variables, imports, files.
   */
  run(run: Run, onMessage: OnMessage): Promise<Ending>;
  /**
   * Saves its state; only between runs. The interpreter goes on as it was.
   *
   * @returns Undefined if it has ended instead.
   */
  save(
    take: (piece: CheckpointPiece) => Promise<void>,
  ): Promise<SaveEnd | undefined>;
  /**
   * Keeps what it is now, before its first run, for `rewind()`; absent if the engine
   * cannot rewind.
   */
  keep?(): Promise<void>;
  /**
   * Makes it what it was when it was kept; between runs.
   *
   * @returns Why it cannot be proved to be clean: it must be ended then. Undefined if
   * no later run can find a trace of those before.
   */
  rewind?(): Promise<Anew | undefined>;
  /** Hands Python the answer to a call; lost if no call waits for it. */
  answer(answer: Answer): void;
  /** Asks the code of the present run to stop; it may not come back. */
  interrupt(): void;
  /** Asks the tasks that runs have left to stop; between runs. */
  interruptTasks(): void;
  /** Whether the code has not noticed the last interrupt. */
  isDeaf(): boolean;
  /**
   * Ends it, with all that its code has left behind.
   *
   * @returns Whether it is gone for certain: otherwise this process must not
   * make another interpreter.
   */
  end(): Promise<boolean>;
}

export interface NetworkEvents {
  /** Called for each message of the worker, before it is read. */
  onWord(): void;
  /** Called when a request was taken from the port. */
  onTaken(request: NetworkRequest): void;
}

/**
 * Sends the HTTP requests of a run, which its worker writes to a port, until it
 * is disposed of. The process that grants hosts gives it to its engine.
 */
export type ServeNetwork = (
  port: MessagePort,
  events: NetworkEvents,
) => Disposable;
