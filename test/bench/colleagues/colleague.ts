import { SESSION_KINDS } from "./code.ts";
import type { Desk } from "./desk.ts";
import { pause } from "./disturbances.ts";
import type { SessionHistory } from "./history.ts";
import { intrude, list, runFresh } from "./other_work.ts";
import { end, fork, open, read, run, USUAL, write } from "./session_work.ts";

const SESSIONS = 2;

/** A kind of work, and how often it comes. */
interface Work {
  name: string;
  weight: number;
  /** Whether the session is there still. */
  do(desk: Desk, session: SessionHistory): Promise<boolean>;
}

const WORK: readonly [Work, ...Work[]] = [
  { name: "write_file", weight: 4, do: write },
  ...SESSION_KINDS.map((kind): Work => ({
    ...kind,
    do: (desk, session) => run(desk, session, kind),
  })),
  { name: "read_file", weight: 4, do: read },
  { name: "fork_session", weight: 2, do: fork },
  {
    name: "end_session",
    weight: 2,
    do: (desk, session) => end(desk, session).then(() => false),
  },
  besides("list_sessions", 3, list),
  besides("calls of another's session", 2, intrude),
  besides("fresh runs", 12, runFresh),
];

function besides(
  name: string,
  weight: number,
  work: (desk: Desk, name: string) => Promise<void>,
): Work {
  return { name, weight, do: (desk) => work(desk, name).then(() => true) };
}

/** The names of all kinds of calls. */
export const CALLS: readonly string[] = WORK.map(({ name }) => name);

/** A client that does its work in sessions of its own, and judges each answer. */
export class Colleague {
  #sessions: SessionHistory[] = [];

  constructor(private desk: Desk) {}

  /** Thinks, and does a piece of work. */
  async work(): Promise<void> {
    const { random, thinkMs } = this.desk.options;
    await pause((0.1 + random.next()) * thinkMs);
    const session = random.pick(this.#sessions);
    if (!session || this.#sessions.length < SESSIONS) {
      const opened = await open(this.desk);
      if (opened) this.#sessions.push(opened);
      return;
    }
    const kind = random.pickByWeight(WORK);
    if (!await kind.do(this.desk, session)) {
      this.#sessions = this.#sessions.filter((one) => one !== session);
    }
  }

  /** Looks once more at each session, at each server, and ends it. */
  async finish(): Promise<void> {
    for (const session of this.#sessions) {
      const isThere = await run(this.desk, session, USUAL, 0) &&
        await run(this.desk, session, USUAL, 1);
      if (isThere) await end(this.desk, session);
    }
  }
}
