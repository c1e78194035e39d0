import type { Ending, RunRequest } from "./run_messages.ts";

/** The data of an engine's row that server and sandbox processes get. */
export interface EngineProfile {
  /** By which requests name it. */
  name: string;
  /** Its name for people. */
  label: string;
  /** Whether a session can be saved. */
  canSave: boolean;
  /** Whether an interpreter can be rewound. */
  canRewind: boolean;
  /** The ending of a run whose process has exited with a code. */
  exits: Readonly<Record<number, Ending>>;
  /** A run without effect, before the first of a process; it makes that run faster. */
  rehearsal?: Pick<RunRequest, "code" | "look">;
  /** Facts for the description of `run_python_code`. */
  promises: EnginePromises;
}

export interface EnginePromises {
  /** Part of a sentence for a choice among engines; absent if nothing tells it apart. */
  choice?: string;
  /** Part of a sentence about its memory. */
  lacks: string;
  /** Whole sentences. */
  always: readonly string[];
  /** A sentence for each package that adds to what a run can give. */
  withPackage: Readonly<Record<string, string>>;
  /** Modules that reach hosts, and packages that do if they are there. */
  http: { modules: readonly string[]; packages: readonly string[] };
}
