import { type ColdSample, measureCold } from "./figures/cold.ts";
import type { Preparing } from "./figures/preparing.ts";
import { measurePreparing } from "./figures/preparing.ts";
import { measureWarmCalls, type WarmCalls } from "./figures/warm_calls.ts";
import type { SpeedRow } from "./report_speed.ts";

const COLD_ROUNDS = 8;
const PACED_CALLS = 60;
const RUSHED_CALLS = 30;
const PREPARED_RUNS = 60;

/** What several figures of one run of the bench share: each is measured once. */
export class Bench {
  /** Rows of the table of aims, so far. */
  readonly speed: SpeedRow[] = [];
  #cold: Promise<ColdSample[]> | undefined;
  #warm: Promise<WarmCalls> | undefined;
  #preparing: Promise<Preparing> | undefined;

  /** Samples of the baseline that all is compared with. */
  cold(): Promise<ColdSample[]> {
    return this.#cold ??= repeat(COLD_ROUNDS, () => measureCold());
  }

  /** Has `cold()` give these. */
  useCold(samples: ColdSample[]): void {
    this.#cold = Promise.resolve(samples);
  }

  /** Calls in servers that are up. */
  warmCalls(): Promise<WarmCalls> {
    return this.#warm ??= measureWarmCalls(PACED_CALLS, RUSHED_CALLS);
  }

  /** Calls, and what a run takes, where each interpreter is made for its run. */
  async unrewound(): Promise<{ calls: WarmCalls; preparing: Preparing }> {
    const args = ["--fresh", "always"];
    return {
      calls: await measureWarmCalls(PACED_CALLS, RUSHED_CALLS, args),
      preparing: await measurePreparing(PREPARED_RUNS, { args }),
    };
  }

  /** What a run takes. */
  preparing(): Promise<Preparing> {
    return this.#preparing ??= measurePreparing(PREPARED_RUNS);
  }
}

/** Measures so many times, one after the other. */
export async function repeat<T>(
  times: number,
  measure: () => Promise<T>,
): Promise<T[]> {
  const all: T[] = [];
  while (all.length < times) all.push(await measure());
  return all;
}
