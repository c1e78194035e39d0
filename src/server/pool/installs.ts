import { DeadlineError, untilAborted, within } from "../../deadline.ts";
import { crowded, FOR_CALLS, late } from "../../requirements/install_errors.ts";
import {
  COUNTED_MS,
  type InstallAnswer,
  MOST_KNOWN,
} from "../../protocol/server_settings.ts";
import type { ProgressStep } from "../../protocol/run_messages.ts";
import { CANCELLED } from "../../results/to_result.ts";
import {
  CALLERS_TO_COME,
  type Item,
  type Share,
  UNKNOWN,
} from "../../shares.ts";
import { type OrRefused, refusal } from "./pool.ts";
import { InTurn } from "./turns.ts";

/** A call that waits for an install. */
export interface InstallWaiter {
  /** Ends the wait; the install goes on. */
  signal?: AbortSignal;
  /** Names of its caller and connection, which have their turns. */
  client?: readonly string[];
  onStep?(step: ProgressStep): void;
  /** Whether no request waits for its answer, so that it may wait on. */
  isDetached?(): boolean;
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

/** What callers have of installs. */
export interface InstallShares {
  /** Calls that wait. */
  installs: Share;
  environments: Share;
}

/** Installs that calls wait for; calls for the same packages share an install. */
export class Installs {
  #installs = new Map<string, Install>();
  /** The launcher installs for one after another. */
  #turns = new InTurn(1);
  /** Installs that have ended. */
  readonly ended: { done: number; failed: number } = { done: 0, failed: 0 };
  /** Environments that count, by requirements; the id once they are made. */
  #counted = new Map<string, { item: Item; id?: string }>();

  constructor(
    private startInstall: StartInstall,
    private shares: InstallShares,
    /** Time that a call waits. */
    private waitMs: number,
    /** Whether a process keeps the environment of an install in the cache. */
    private isHeld: (ended: InstallAnswer) => boolean = () => true,
    /** Gives a time in milliseconds. */
    private now: () => number = () => performance.now(),
  ) {}

  /** Installs packages, or joins their install. */
  install(requirements: string[]): Promise<InstallAnswer> {
    return this.#open(requirements, []).ended;
  }

  /**
   * Waits for packages; if their install has failed, it is tried again. A call that
   * cannot wait any longer is refused.
   */
  async wait(
    requirements: string[],
    { signal, client = [], onStep = () => {}, isDetached }: InstallWaiter = {},
  ): Promise<OrRefused<{ ended: InstallAnswer }>> {
    const key = JSON.stringify(requirements);
    const known = this.#installs.get(key)?.done;
    if (known && this.isHeld(known)) return { ended: known };
    // `cache clean` may have removed it: an install finds it, or makes it anew.
    if (known) this.#installs.delete(key);
    // Each holds its code and files.
    const [caller = UNKNOWN] = client;
    const place = { caller, amount: 1 };
    const { installs, environments } = this.shares;
    if (!installs.take(place)) {
      return { refused: refusal("busy", crowded(installs.total)) };
    }
    if (!this.#installs.has(key) && !this.#count(key, caller)) {
      installs.drop(place);
      const made = [...environments.items].filter(({ caller }) =>
        caller === place.caller
      );
      const reason = FOR_CALLS.allMade(made.length);
      return { refused: refusal("install-error", reason) };
    }
    const install = this.#open(requirements, client);
    if (install.step) onStep(install.step);
    install.onSteps.add(onStep);
    // Clients with short time-outs go on as long as they hear of progress.
    const pulse = setInterval(() => {
      if (install.step) onStep(install.step);
    }, PULSE_MS);
    try {
      const { ended } = install;
      const work = signal ? untilAborted(ended, signal) : ended;
      return {
        ended: await within(work, this.waitMs).catch((error) => {
          if (error instanceof DeadlineError && isDetached?.()) return work;
          throw error;
        }),
      };
    } catch (error) {
      if (error instanceof DeadlineError) {
        return { refused: refusal("busy", late(install.step?.message)) };
      }
      if (signal?.aborted) return { refused: { ...CANCELLED, output: [] } };
      throw error;
    } finally {
      clearInterval(pulse);
      install.onSteps.delete(onStep);
      installs.drop(place);
    }
  }

  #open(requirements: string[], client: readonly string[]): Install {
    const key = JSON.stringify(requirements);
    const known = this.#installs.get(key);
    if (known) return known;
    const onSteps: Install["onSteps"] = new Set();
    const start = () =>
      this.startInstall(requirements, (step) => {
        install.step = step;
        for (const onStep of onSteps) onStep(step);
      });
    const ended = this.#turns.do(client, start).then((ended) => {
      const hasFailed = "error" in ended;
      if (hasFailed) this.#installs.delete(key);
      else install.done = ended;
      this.#settle(key, hasFailed ? undefined : ended.installed.id);
      this.ended[hasFailed ? "failed" : "done"]++;
      return ended;
    });
    const install: Install = { ended, onSteps };
    this.#installs.set(key, install);
    return install;
  }

  /** Counts an environment for a caller; false if there is no room for it. */
  #count(key: string, caller: string): boolean {
    // The server's own packages are not a call's.
    if (key === "[]" || this.#counted.has(key)) return true;
    const since = this.now();
    const item: Item = {
      ...{ caller, amount: 1 },
      rest: () => this.now() - since > COUNTED_MS ? "idle" : "used",
      giveWay: () => this.#counted.delete(key),
    };
    // What is made stays for a day.
    this.shares.environments.ask(CALLERS_TO_COME);
    if (!this.shares.environments.take(item)) return false;
    this.#counted.set(key, { item });
    return true;
  }

  /** An install has ended: an environment counts once, and none that was not made. */
  #settle(key: string, id: string | undefined): void {
    const counted = this.#counted.get(key);
    const others = [...this.#counted.values()].filter((one) => one !== counted);
    if (id === undefined || others.some((other) => other.id === id)) {
      if (counted) this.shares.environments.drop(counted.item);
      this.#counted.delete(key);
    } else if (counted) counted.id = id;
    for (const [known, { done }] of this.#installs) {
      if (this.#installs.size <= MOST_KNOWN) break;
      if (done) this.#installs.delete(known);
    }
  }
}
