import type { BackgroundUse } from "../protocol/sandbox_messages.ts";
import { MIB } from "../units.ts";
import type { Meter } from "./meter.ts";

/** Memory by which an idle interpreter may grow between two looks. */
const CALM_MIB = 1;
/** The share of a core that looking at an idle interpreter takes, and more. */
const OWN_CPU = 0.05;
/** Changes that the server hears of. */
const TOLD_MIB = 8;
const TOLD_SECONDS = 1;
/** The first time, as others wait for the cores that the tasks have. */
const FIRST_SECONDS = 0.1;
const QUIET_MS = 1000;
/** Interrupts, one in each further second of CPU time, as each ends a task. */
const MOST_INTERRUPTS = 5;

interface BackgroundOptions {
  meter: Pick<Meter, "grownBytes" | "cpuSeconds">;
  /** CPU time that the tasks may take. */
  cpuSeconds: number;
  /** Tells the server. */
  tell(use: BackgroundUse): void;
  /** Interrupts tasks. */
  interrupt(): void;
  /** Called if that was of no use. */
  giveUp(): void;
  now?(): number;
}

/**
 * The tasks of a session between two of its runs: the server hears of what they take,
 * and those that compute for too long are interrupted.
 */
export class Background {
  #cpuSeconds = 0;
  #interrupts = 0;
  #isGivenUp = false;
  #told = { memoryMiB: 0, cpuSeconds: 0, interrupts: 0, at: -Infinity };

  constructor(private options: BackgroundOptions) {}

  /**
   * Gives a check, of which the result says whether all is calm. Only what comes while
   * it is called counts for the tasks, and not a look into the session.
   *
   * @param toldMiB The memory that the server has heard of.
   */
  watch(toldMiB: number = this.#told.memoryMiB): () => boolean {
    const { meter, now = () => performance.now() } = this.options;
    this.#told.memoryMiB = toldMiB;
    let [at, cpu, grown] = [now(), meter.cpuSeconds(), 0];
    return () => {
      const last = { at, cpu, grown };
      [at, cpu, grown] = [now(), meter.cpuSeconds(), meter.grownBytes()];
      const own = OWN_CPU * (at - last.at) / 1000;
      this.#cpuSeconds += Math.max(0, cpu - last.cpu - own);
      this.#judge();
      this.#maybeTell(Math.max(0, Math.round(grown / MIB)), at);
      return grown - last.grown < CALM_MIB * MIB;
    };
  }

  #judge(): void {
    const over = this.#cpuSeconds - this.options.cpuSeconds;
    if (over <= this.#interrupts || this.#isGivenUp) return;
    this.#interrupts++;
    this.#isGivenUp = this.#interrupts > MOST_INTERRUPTS;
    if (this.#isGivenUp) this.options.giveUp();
    else this.options.interrupt();
  }

  #maybeTell(memoryMiB: number, at: number): void {
    const cpuSeconds = Math.floor(this.#cpuSeconds * 10) / 10;
    const more = this.#told.cpuSeconds > 0 ? TOLD_SECONDS : FIRST_SECONDS;
    const isChanged = Math.abs(memoryMiB - this.#told.memoryMiB) >= TOLD_MIB ||
      cpuSeconds - this.#told.cpuSeconds >= more;
    const isQuiet = at - this.#told.at < QUIET_MS;
    const interrupts = this.#interrupts;
    // At once: an interrupted task may be the last one that computes.
    const isNews = interrupts > this.#told.interrupts ||
      this.#told.cpuSeconds === 0 && cpuSeconds >= FIRST_SECONDS;
    if (!isNews && (!isChanged || isQuiet)) return;
    this.#told = { memoryMiB, cpuSeconds, interrupts, at };
    this.options.tell({ memoryMiB, cpuSeconds, interrupts });
  }
}
