import { log } from "../../../src/log.ts";
import { reasonOf } from "../../../src/errors.ts";
import { untilIdle } from "../idle.ts";
import { maybeMean, median } from "../statistics.ts";
import {
  cpuMsOf,
  cpuMsOfEndedChildren,
  familyOf,
  type Memory,
  memoryOf,
} from "../usage.ts";
import { type Contender, type Mode, OURS, type Skipped } from "./contender.ts";
import { CONTENDERS } from "./contenders.ts";
import { type Program, PROGRAMS } from "./programs.ts";

/** What calls of a kind took, or why there are none. */
export type Figure = { wallMs: number; cpuMs: number | undefined } | {
  reason: string;
};

/** What was measured of a contender. */
export interface Measured extends Pick<Contender, "name" | "walls"> {
  /** A figure for each program, in the order of `PROGRAMS`. */
  fresh: Figure[];
  kept: Figure[];
  /** Of each process that stays up; undefined where the system does not tell. */
  memory: (Memory | undefined)[];
}

/** Runs the same programs in ours, in peers and in a baseline. */
export async function measurePeers(
  rounds: number,
): Promise<{ measured: Measured[]; skipped: Skipped[] }> {
  await using stack = new AsyncDisposableStack();
  const contenders: Contender[] = [];
  const skipped: Skipped[] = [];
  for (const [name, open] of Object.entries(CONTENDERS)) {
    try {
      contenders.push(...[await open(stack, name)].flat());
    } catch (error) {
      if (name === OURS) throw error;
      skipped.push({ name, reason: reasonOf(error) });
      log(`SKIPPED: ${name}: ${reasonOf(error)}`);
    }
  }
  const tallies = contenders.map((contender) => new Tally(contender));
  // A round that does not count; then in turns, so that noise meets all alike.
  for (let round = 0; round <= rounds; round++) {
    for (const program of PROGRAMS) {
      for (const tally of tallies) await tally.round(program, round > 0);
    }
  }
  return { measured: tallies.map((tally) => tally.finish()), skipped };
}

/** What a contender has taken so far. */
class Tally {
  #contender: Contender;
  #figures = new Map<string, Taken>();

  constructor(contender: Contender) {
    this.#contender = contender;
  }

  /** Has it run a program as often as it does in a round. */
  async round(program: Program, counts: boolean): Promise<void> {
    for (const kind of ["fresh", "kept"] as const) {
      const taken = this.#taken(kind, program);
      const mode = this.#contender[kind];
      if (mode === undefined || taken.reason !== undefined) continue;
      try {
        const one = await this.#measure(mode, program);
        if (!counts) continue;
        taken.wallMs.push(...one.wallMs);
        taken.cpuMs.push(one.cpuMs);
      } catch (error) {
        // A wrong answer of ours ends the bench; a peer's is a figure.
        if (this.#contender.name.startsWith(OURS)) throw error;
        taken.reason = reasonOf(error);
        log(`${this.#contender.name}: ${program.name}: ${taken.reason}`);
      }
    }
  }

  finish(): Measured {
    const { name, walls, pids } = this.#contender;
    const all = (kind: Kind) =>
      PROGRAMS.map((program) => toFigure(this.#taken(kind, program)));
    return {
      ...{ name, walls, fresh: all("fresh"), kept: all("kept") },
      memory: pids.flatMap(familyOf).map(memoryOf),
    };
  }

  async #measure(mode: Mode, program: Program) {
    const before = await this.#idleCpuMs();
    const outcomes = await mode.run(program, mode.calls);
    const after = await this.#idleCpuMs();
    const wrong = outcomes.find(({ answer }) => answer !== program.answer);
    if (wrong) throw new Error(`wrong answer: ${JSON.stringify(wrong.answer)}`);
    return {
      wallMs: outcomes.map(({ wallMs }) => wallMs),
      cpuMs: before === undefined || after === undefined
        ? undefined
        : (after - before) / outcomes.length,
    };
  }

  /** CPU time until now, with what a call leaves to be done after its answer. */
  async #idleCpuMs(): Promise<number | undefined> {
    const { pids } = this.#contender;
    for (const pid of pids) await untilIdle(pid);
    const all = [cpuMsOfEndedChildren(), ...pids.map(cpuMsOf)];
    return all.reduce((sum, one) =>
      sum === undefined || one === undefined ? undefined : sum + one
    );
  }

  #taken(kind: Kind, program: Program): Taken {
    const key = `${kind} ${program.name}`;
    const taken = this.#figures.get(key) ?? { wallMs: [], cpuMs: [] };
    this.#figures.set(key, taken);
    return taken;
  }
}

type Kind = "fresh" | "kept";

interface Taken {
  wallMs: number[];
  cpuMs: (number | undefined)[];
  reason?: string;
}

function toFigure({ wallMs, cpuMs, reason }: Taken): Figure {
  if (reason !== undefined) return { reason };
  if (wallMs.length === 0) return { reason: "none" };
  return { wallMs: median(wallMs), cpuMs: maybeMean(cpuMs) };
}
