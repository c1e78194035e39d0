import type { CodeModeRun } from "../code_mode/code_mode_run.ts";
import { Semaphore } from "../../semaphore.ts";

/** Calls that a run may have under way; the hub bounds those to a server. */
export const MOST_OPEN = 16;

/** The calls that runs have under way to downstream servers. */
export class OpenCalls {
  #runs = new WeakMap<CodeModeRun, Semaphore>();

  /** Waits for a turn of the run, which ends when the returned value is disposed. */
  async enter(run: CodeModeRun, signal: AbortSignal): Promise<Disposable> {
    const turns = this.#runs.get(run) ?? new Semaphore(MOST_OPEN);
    this.#runs.set(run, turns);
    return await turns.take(signal);
  }
}
