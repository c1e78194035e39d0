import type { DisplayType } from "./displays.ts";
import type { RunFacts } from "./run_facts.ts";
import type { RunFile } from "./run_files.ts";

/** JSON as Python may hand it back. */
export type Json =
  | null
  | boolean
  | number
  | string
  | Json[]
  | { [key: string]: Json };

/** The ways a run can end; a call of a tool also ends as `invalid-arguments`. */
export type Status =
  | "success"
  | "run-error"
  | "invalid-arguments"
  | "install-error"
  | "timeout"
  | "memory-limit"
  | "cancelled"
  | "crashed"
  | "busy"
  | "denied"
  | "session-lost";

/** Characters there were, by the part that was cut. */
export interface Truncated {
  /** Of the output. */
  output?: number;
  /** The return value, as JSON; named as clients see it. */
  // deno-lint-ignore camelcase
  return_value?: number;
  /** The traceback. */
  error?: number;
  /** Files that the run wrote, where not all are listed. */
  files?: number;
  /** An MCP resource that has more of the result. */
  uri?: string;
  /** A sentence for a model: where it can read on. */
  note?: string;
}

/** A picture, or audio, that a run showed. */
export interface Image {
  /** Its kind. */
  mimeType: DisplayType;
  /** Text of an SVG, base64 of all else. */
  data: string;
  /** Bytes of its file. */
  size: number;
  /** Names it, here and in the text; nothing is to be read there. */
  uri: string;
}

/** HTML that a run showed, such as a chart. */
export interface Page {
  /** An MCP resource to read it by, while a server keeps it; else a name. */
  uri: string;
  /** In plain text; may be empty. */
  title: string;
  /** Its kind and its size, in plain text. */
  about: string;
  /** Bytes of its file. */
  size: number;
  /** Python wrote it: show it by `src/frames/` alone. */
  html: string;
}

/** How a run ended. Failing Python is a result; only our own bugs throw. */
export type Outcome =
  | {
    status: "success";
    returnValue: Json;
    /** A table as Python prints it; undefined for other values. */
    shown?: string;
  }
  | {
    status: Exclude<Status, "success">;
    error: string;
  };

/** An outcome with the output of the run. */
export type RunResult = Outcome & RunFacts & {
  /** stdout and stderr in the order written, line by line. */
  output: string[];
  /** In the order in which they were shown. */
  images?: Image[];
  /** The same. */
  pages?: Page[];
  truncated?: Truncated;
  /** JSON text that sums up a large value, as the guest tells it. */
  summary?: string;
  /** Files that it wrote, where they are wanted. */
  written?: RunFile[];
  /** Paths that were put in and are gone. */
  removed?: string[];
  /** Handle of the session that it ran in. */
  session?: string;
  /** Says that the session went on from an older state, or from nothing; absent if it did not. */
  resumed?: string;
  /** Says why the session could not be saved before the run; absent if that is known. */
  unsaved?: string;
  /** The same files, as a client sees them. */
  files?: ListedFile[];
  /** For the library alone. */
  timings?: Timings;
};

/** Where the time of a run went, in milliseconds. */
export interface Timings {
  /** Until a sandbox took it: for a free sandbox, or for packages. */
  waitedMs: number;
  /** In the sandbox. */
  wallMs: number;
  /** CPU time of the sandbox; absent unless logs or a limit have it measured. */
  cpuMs?: number;
}

/** A file that a run wrote, in a client's list. */
export interface ListedFile {
  /** Below `/workspace`. */
  path: string;
  /** In bytes. */
  size: number;
  /** By its name: a guess. */
  mimeType: string;
  /** To read it by; absent if it was too large to be kept. */
  uri?: string;
  /** Its whole text, if it is small. */
  text?: string;
}
