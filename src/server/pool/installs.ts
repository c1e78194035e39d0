import { DeadlineError, untilAborted, within } from "../../deadline.ts";
import { crowded, late } from "../../requirements/install_errors.ts";
import type { InstallAnswer } from "../../protocol/install_answer.ts";
import type { ProgressStep } from "../../protocol/run_messages.ts";
import { CANCELLED } from "../../results/to_result.ts";
import { type OrRefused, refusal } from "./pool.ts";

/** A call that waits for an install. */
export interface InstallWaiter {
  /** Ends the wait; the install goes on. */
  signal?: AbortSignal;
  onStep?(step: ProgressStep): void;
}

/** Has the broker install packages; those of no requirement are the server's own. */
export type StartInstall = (
  requirements: string[],
  onStep: (step: ProgressStep) => void,
) => Promise<InstallAnswer>;

/** An install that runs, or has succeeded. */
interface Install {
  ended: Promise<InstallAnswer>;
  /** Its end, once it has succeeded. */
  done?: InstallAnswer;
  onSteps: Set<(step: ProgressStep) => void>;
  step?: ProgressStep;
}

/** Time between two messages about a step that goes on. */
const PULSE_MS = 5000;

/** Installs that calls wait for; calls for the same packages share an install. */
export class Installs {
  #installs = new Map<string, Install>();
  #waiting = 0;
  /** Installs that have ended. */
  readonly ended: { done: number; failed: number } = { done: 0, failed: 0 };

  constructor(
    private startInstall: StartInstall,
    /** Time that a call waits, and calls that may wait. */
    private limits: { waitMs: number; waiting: number },
    /** Whether a process keeps the environment of an install in the cache. */
    private isHeld: (ended: InstallAnswer) => boolean = () => true,
  ) {}

  /** Installs packages, or joins their install. */
  install(requirements: string[]): Promise<InstallAnswer> {
    return this.#open(requirements).ended;
  }

  /**
   * Waits for packages; if their install has failed, it is tried again. A call that
   * cannot wait any longer is refused.
   */
  async wait(
    requirements: string[],
    { signal, onStep = () => {} }: InstallWaiter = {},
  ): Promise<OrRefused<{ ended: InstallAnswer }>> {
    const key = JSON.stringify(requirements);
    const known = this.#installs.get(key)?.done;
    if (known && this.isHeld(known)) return { ended: known };
    // `cache clean` may have removed it: an install finds it, or makes it anew.
    if (known) this.#installs.delete(key);
    // Each holds its code and files.
    if (this.#waiting >= this.limits.waiting) {
      return { refused: refusal("busy", crowded(this.limits.waiting)) };
    }
    this.#waiting++;
    const install = this.#open(requirements);
    if (install.step) onStep(install.step);
    install.onSteps.add(onStep);
    // Clients with short time-outs go on as long as they hear of progress.
    const pulse = setInterval(() => {
      if (install.step) onStep(install.step);
    }, PULSE_MS);
    try {
      const { ended } = install;
      const work = signal ? untilAborted(ended, signal) : ended;
      return { ended: await within(work, this.limits.waitMs) };
    } catch (error) {
      if (error instanceof DeadlineError) {
        return { refused: refusal("busy", late(install.step?.message)) };
      }
      if (signal?.aborted) return { refused: { ...CANCELLED, output: [] } };
      throw error;
    } finally {
      clearInterval(pulse);
      install.onSteps.delete(onStep);
      this.#waiting--;
    }
  }

  /** Calls that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  #open(requirements: string[]): Install {
    const key = JSON.stringify(requirements);
    const known = this.#installs.get(key);
    if (known) return known;
    const onSteps: Install["onSteps"] = new Set();
    const ended = this.startInstall(requirements, (step) => {
      install.step = step;
      for (const onStep of onSteps) onStep(step);
    }).then((ended) => {
      const hasFailed = "error" in ended;
      if (hasFailed) this.#installs.delete(key);
      else install.done = ended;
      this.ended[hasFailed ? "failed" : "done"]++;
      return ended;
    });
    const install: Install = { ended, onSteps };
    this.#installs.set(key, install);
    return install;
  }
}
