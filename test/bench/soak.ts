/**
 * `deno task soak`: thousands of runs of all kinds, several at once, in
 * processes some of which are killed or stopped, then calls in sessions, a
 * minute of four clients with four sessions each over HTTP, and three callers
 * beside one that takes all that it can.
 * Nothing may leak, and every answer must belong to its question. `docs/measuring.md` explains it.
 *
 * Arguments: runs, and the seed of an earlier soak. Or `sharing` for the last part
 * alone: calls of each honest caller beside the greedy one, rounds, seed, and the name
 * of the only attack.
 *
 * @module
 */
import { EXIT } from "../../src/errors.ts";
import { log, print } from "../../src/log.ts";
import { describeMachine } from "./machine.ts";
import { cross, crossingComplaints } from "./soak/crossing.ts";
import { openProgress, type Progress } from "./soak/progress.ts";
import { complaints, GROWTH, soakReport } from "./soak/report.ts";
import {
  sharingComplaints,
  type SharingOptions,
  sharingReport,
  soakSharing,
} from "./soak/sharing.ts";
import { soakSessions } from "./soak/sessions.ts";
import { soak, type Soaked } from "./soak/soak.ts";
import type { Tally } from "./soak/tally.ts";

const RUNS = 2000;
/** Calls in sessions, with and without a store, for each run. */
const SESSION_CALLS = 1 / 8;
const CROSSING_MS = 60_000;
/** Calls of each of three callers beside a greedy one, for each run. */
const SHARING_CALLS = 1 / 20;
const SHARING_ROUNDS = 4;
/** Of a long soak of callers alone: two hours' worth of calls. */
const LONG_SHARING = { calls: 3200, rounds: 16 };

if (import.meta.main && Deno.args[0] === "sharing") {
  const [, calls, rounds, seed = Date.now() % 2 ** 31, only] = Deno.args;
  finish(
    await reportSharing({
      calls: Number(calls ?? LONG_SHARING.calls),
      rounds: Number(rounds ?? LONG_SHARING.rounds),
      seed: Number(seed),
      ...(only === undefined ? {} : { only }),
    }),
  );
} else if (import.meta.main) {
  const [runs = RUNS, seed = Date.now() % 2 ** 31] = Deno.args.map(Number);
  log(`${runs} runs, seed ${seed}: deno task soak ${runs} ${seed}`);
  print(`${describeMachine()}, seed ${seed}\n\n`);
  const sessionCalls = Math.ceil(runs * SESSION_CALLS);
  const many = {
    calls: sessionCalls,
    seed,
    sessions: 20,
    callers: 3,
    stops: 0.4,
  };
  const wrong = [
    ...await report(runs, (onProgress) =>
      soak({
        ...{ runs, seed, servers: 2, callers: 3, untilFloor: true },
        onProgress,
      })),
    ...await report(
      sessionCalls,
      (onProgress) =>
        soakSessions({ ...many, hasStore: false, servers: 1, onProgress }),
    ),
    ...await report(
      sessionCalls,
      (onProgress) =>
        soakSessions({ ...many, hasStore: true, servers: 4, onProgress }),
    ),
  ];
  for (const hasTokens of [false, true]) {
    const end = Date.now() + CROSSING_MS;
    const goesOn = () => Date.now() < end;
    const crossed = await cross({ hasTokens, seed, goesOn });
    const { right, cancelled, lost } = crossed.tally.all;
    print(
      `over HTTP, four clients ${
        hasTokens ? "with tokens" : "without tokens"
      }, four sessions each: ${right} answers right, ${cancelled} cancelled, ${lost} lost; ${crossed.killed} killed\n`,
    );
    wrong.push(...crossingComplaints(crossed));
  }
  const calls = Math.ceil(runs * SHARING_CALLS);
  wrong.push(...await reportSharing({ calls, rounds: SHARING_ROUNDS, seed }));
  finish(wrong);
}

function finish(wrong: string[]): never {
  for (const complaint of wrong) log(`error: ${complaint}`);
  Deno.exit(wrong.length > 0 ? EXIT.failure : EXIT.ok);
}

async function reportSharing(options: SharingOptions): Promise<string[]> {
  const started = Date.now();
  log(`seed ${options.seed}`);
  const shared = await soakSharing(options);
  print(`${sharingReport(shared)}\n`);
  print(`${Math.round((Date.now() - started) / 1000)} s\n`);
  return sharingComplaints(shared);
}

type OnProgress = (tally: Tally, faults: number) => void;

/** Shows how far a soak is, and prints its report; gives what is not as it should be. */
async function report(
  runs: number,
  start: (onProgress: OnProgress) => Promise<Soaked>,
  growth = GROWTH,
): Promise<string[]> {
  let progress: Progress | undefined;
  let faults = 0;
  const started = Date.now();
  const soaked = await start((tally, count) => {
    faults = count;
    progress ??= openProgress(runs, tally, () => faults);
    progress.show();
  });
  progress?.[Symbol.dispose]();
  print(`${soakReport(soaked)}\n`);
  print(`${Math.round((Date.now() - started) / 1000)} s\n\n`);
  return complaints(soaked, { growth });
}
