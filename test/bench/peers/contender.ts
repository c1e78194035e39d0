import type { Program } from "./programs.ts";

/** Ours, of which a wrong answer ends the bench. */
export const OURS = "**this**";
/** What the speed of loops is compared with. */
export const BASELINE = "baseline: python3";

/** What one call gave. */
export interface Outcome {
  answer: string;
  wallMs: number;
}

/** A kind of calls. */
export interface Mode {
  /** Calls in each round. */
  calls: number;
  /** Makes so many, one after the other. */
  run(program: Program, calls: number): Promise<Outcome[]>;
}

/** A way to run Python: ours, a peer, or the baseline. */
export interface Contender {
  name: string;
  /** What stands between the caller and the code. */
  walls: string;
  /** Calls that each get an interpreter of their own. */
  fresh?: Mode;
  /** Calls in an interpreter that is kept. */
  kept?: Mode;
  /** Processes that stay up between calls; all below them counts, too. */
  pids: number[];
}

/** Why a contender takes no part. */
export interface Skipped {
  name: string;
  reason: string;
}

/** Opens what has this name; what it holds is given back with the stack. */
export type Open = (
  stack: AsyncDisposableStack,
  name: string,
) => Promise<Contender | Contender[]>;

/** Makes calls of which each is timed by itself. */
export function eachTimed(
  call: (program: Program) => Promise<string>,
): Mode["run"] {
  return async (program, calls) => {
    const outcomes: Outcome[] = [];
    while (outcomes.length < calls) {
      const started = performance.now();
      const answer = await call(program);
      outcomes.push({ answer, wallMs: performance.now() - started });
    }
    return outcomes;
  };
}
