import type { DisplayLimits } from "./displays.ts";
import type { FileBounds } from "./run_files.ts";

export interface CallLimits {
  count: number;
  /** Characters of JSON that the arguments of a call, or its answer, may have. */
  size: number;
  /** Time for an answer, in milliseconds. */
  timeoutMs: number;
  /**
   * Time that the calls of a run may add to its own, in milliseconds: while a call
   * waits for its answer, the run's clock stands. None if absent.
   */
  waitMs?: number;
}

/** The most that a run may send to its server. */
export interface RunAllowance {
  /**
   * Characters of output, and of the return value, to keep; null passes all
   * output on, and keeps none.
   */
  maxOutput: number | null;
  hostCalls: CallLimits;
  images: DisplayLimits;
  pages: DisplayLimits;
  files: FileBounds;
}

/** The shell that a run is for. */
export interface Shell {
  /** Python's `sys.argv`. */
  argv: string[];
  /** Whether each run is a piece of code that was typed at a prompt. */
  isPrompt: boolean;
  /** Characters of the value to send back; null sends none. */
  maxValue: number | null;
  /** Whether standard input is a terminal. */
  isTerminal: boolean;
  /** The folder of the script; undefined if its modules cannot be imported. */
  modules?: ModuleFolder;
}

/** The way to give a run more time. */
export function timeoutRemedy({ shell }: { shell?: Shell }): string {
  return shell ? "--timeout" : "the call's timeout, or --timeout";
}

/** The names in a folder of Python modules. */
export interface ModuleFolder {
  /** Of its `.py` files, without the ending. */
  files: string[];
  folders: string[];
}

/** Everything that is the same for each run of a server. */
export interface RunSetup extends RunAllowance {
  /** Packages that code may ask for, by name; `*` is any. */
  installable: string[];
  /** Variables for the environment of the code: secrets, maybe. */
  variables: Record<string, string>;
  /** Undefined if the runs are for clients or programs. */
  shell?: Shell;
  /** Whether code has the names of code mode. */
  codeMode?: boolean;
}

/** The setup of an interpreter that calls, shows and hands over nothing. */
export const CLOSED_SETUP: RunSetup = {
  maxOutput: 1 << 20,
  hostCalls: { count: 0, size: 0, timeoutMs: 0 },
  images: { count: 0, size: 0, total: 0 },
  pages: { count: 0, size: 0, total: 0 },
  files: { bytes: 0, count: 0 },
  installable: [],
  variables: {},
};
