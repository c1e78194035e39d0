import { join } from "node:path";
import { log } from "../../../src/log.ts";
import { CACHE } from "../../support/command.ts";
import { tempFolder } from "../../support/folder.ts";
import { ERAS } from "../../support/client.ts";
import { whichOutlive } from "../../support/processes.ts";
import { Random } from "../soak/random.ts";
import { pathsIn } from "../soak/usage.ts";
import { callByClient, callByFetch } from "./caller.ts";
import { CALLS, Colleague, type Office } from "./colleague.ts";
import { Counts } from "./counts.ts";
import { Disturber } from "./disturbances.ts";
import { Faults } from "./faults.ts";
import { Fleet } from "./fleet.ts";
import { Tokens } from "./tokens.ts";

export interface ColleaguesOptions {
  seconds: number;
  /** Clients, of which one in five is the official one. */
  clients: number;
  seed: number;
  /** Sessions in memory of each server. */
  inMemory: number;
  /** Time that a client thinks before a piece of work, at most. */
  thinkMs: number;
  /** Between the end of a disturbance and the next one. */
  pauseMs: number;
}

/** What came of it. */
export interface Outcome extends Office {
  disturber: Disturber;
  /** Codes of the servers' ends. */
  ends: number[];
  outlive: number[];
  /** Files in the store once all sessions have ended. */
  files: string[];
  logs: string;
}

/** Forty clients for ten minutes. */
export const LONG = {
  ...{ seconds: 600, clients: 40, inMemory: 24, thinkMs: 8000, pauseMs: 5000 },
};
/** Each disturbance once, as fast as they can follow each other. */
export const SHORT = {
  ...{ seconds: 0, clients: 6, inMemory: 8, thinkMs: 2000, pauseMs: 1500 },
};

const OWNERS = ["ada", "bob", "eve", "joe"];
const SERVERS = ["one", "two"];
const LOOK_MS = 5000;

/**
 * Has many clients of four tokens work with two servers that share a store, while
 * processes are killed and stopped, and servers are started again.
 */
export async function runColleagues(
  { seconds, clients, seed, inMemory, thinkMs, pauseMs }: ColleaguesOptions,
): Promise<Outcome> {
  await using folder = await tempFolder();
  const [store, temporary] = await folder.make("store", "tmp");
  await Deno.chmod(store, 0o700);
  const tokens = new Tokens(OWNERS, join(folder.path, "tokens"));
  await tokens.write();
  const fleet = new Fleet(SERVERS, [
    ...["--cache-dir", CACHE, "--session-store", store, "--file-tools"],
    ...["--token-file", tokens.file, "--memory", "256"],
    ...[`+maxSessions=${inMemory}`, "--max-sessions-memory", "100000"],
    ...["--max-concurrency", "2", "+pool=2", "--verbose"],
    ...["--drain-wait", "1"],
  ], { TMPDIR: temporary });
  await Promise.all(fleet.members.map((member) => fleet.start(member)));
  const faults = new Faults();
  const disturber = new Disturber(fleet, {
    ...{ random: new Random(seed), faults, tokens },
  });
  const office: Office = {
    ...{ fleet, faults, handles: new Map(), histories: [] },
    counts: new Counts(CALLS),
  };
  const closing: (() => Promise<void>)[] = [];
  const colleagues = Array.from({ length: clients }, (_, at) => {
    const owner = OWNERS[at % OWNERS.length] ?? "";
    const token = () => tokens.of(owner);
    const official = at % 5 === 4
      ? callByClient(token, ERAS[Math.floor(at / 5) % 2] ?? ERAS[0])
      : undefined;
    if (official) closing.push(official.close);
    return new Colleague(office, {
      ...{ owner, home: Math.floor(at / 2), random: new Random(seed + 1 + at) },
      thinkMs,
      callOf: official?.of ?? ((server) => callByFetch(server, token)),
    });
  });

  const end = performance.now() + seconds * 1000;
  let isOver = false;
  const looking = setInterval(() => fleet.look(), LOOK_MS);
  const working = Promise.all(colleagues.map(async (colleague) => {
    while (!isOver) await colleague.work();
  }));
  await disturber.disturb(pauseMs, () => performance.now() < end);
  isOver = true;
  await working;
  log("the disturbances are over: each session is looked at once more");
  await Promise.all(colleagues.map((colleague) => colleague.finish()));
  for (const close of closing) await close();
  clearInterval(looking);
  log("all sessions have ended: the servers end");
  const ends = await fleet.end();
  return {
    ...{ ...office, disturber, ends },
    outlive: await whichOutlive(fleet.processes),
    files: pathsIn(store),
    logs: await fleet.logs(),
  };
}
