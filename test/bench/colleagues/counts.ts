import type { Verdict } from "./history.ts";

/** What became of the calls of one kind. */
export interface Count extends Record<Verdict | "wrong", number> {
  /** Times of those that were not refused. */
  ms: number[];
}

/** What became of all calls, by kind. */
export class Counts {
  readonly kinds: Map<string, Count>;
  /** Wrong answers that are not of a session. */
  readonly wrong: string[] = [];

  constructor(names: readonly string[]) {
    this.kinds = new Map(
      names.map((name) => [name, {
        ...{ right: 0, resumed: 0, lost: 0, refused: 0, unknown: 0, wrong: 0 },
        ms: [],
      }]),
    );
  }

  count(name: string, verdict: Verdict | "wrong", ms?: number): void {
    const count = this.kinds.get(name);
    if (!count) throw new RangeError(`There is no kind "${name}"`);
    count[verdict]++;
    if (ms !== undefined) count.ms.push(ms);
  }
}
