import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { LOCK } from "../../../src/keeper/folder_lock.ts";
import { readLines } from "../../../src/protocol/lines.ts";
import { tempFolder } from "../../support/folder.ts";
import { startHttp } from "../../support/http_server.ts";
import { figureOf } from "../../support/open_metrics.ts";
import { descendants, whichOutlive } from "../../support/processes.ts";
import { untilIdle } from "../idle.ts";
import { percentile } from "../statistics.ts";
import { toTable } from "../table.ts";
import { cpuMsOf } from "../usage.ts";
import type { AttackOrder } from "./attacks.ts";
import { Honest, WORK, type Work } from "./honest.ts";
import { Random } from "./random.ts";
import { complaints, soakReport } from "./report.ts";
import { type Soaked, untilFloor } from "./soak.ts";
import { Tally } from "./tally.ts";
import { lookAt, pathsIn } from "./usage.ts";

/** Callers that do their work, beside one that takes all that it can. */
const HONEST = ["ada", "bob", "eve"];
const GREEDY = "greedy";
/** Pieces of work of a caller that do not count: sessions may have to be restored. */
const WARM_UP = 8;
/** Calls without the greedy caller for each with it. */
const ALONE = 1 / 4;
/** How much more may be held: not each round has all attacks. */
const GROWTH = 1.5;
const ATTACKS = fileURLToPath(import.meta.resolve("./attacks.ts"));

export interface SharingOptions {
  /** Calls of each honest caller beside the greedy one. */
  calls: number;
  /** Times that the greedy caller comes and goes. */
  rounds: number;
  seed: number;
  /** The only attack, by name; all by default. */
  only?: string;
}

/** A piece of work, and the attacks that were under way; undefined if there were none. */
export interface SharedWork extends Work {
  attacks?: string[];
}

/** What became of a soak. */
export interface Shared extends Soaked {
  works: SharedWork[];
  /** Refusals that the honest callers met, and tried again. */
  refused: number;
  /** Attacks that were made, by name. */
  attacks: Map<string, number>;
  /** CPU time of the greedy caller, which is on another machine in truth. */
  attackerMs: number;
}

/** Has honest callers work in turns alone, and beside a greedy caller. */
export async function soakSharing(
  { calls, rounds, seed, only }: SharingOptions,
): Promise<Shared> {
  await using folder = await tempFolder();
  const [store, temporary] = await folder.make("store", "tmp");
  await Deno.chmod(store, 0o700);
  const tokens = new Map(
    [...HONEST, GREEDY].map((name) => [name, crypto.randomUUID()]),
  );
  const named = [...tokens].map(([name, token]) => `${name}:${token}`);
  const server = await startHttp([
    ...["--session-store", store, "--memory", "256"],
    ...["--max-concurrency", "2", "--max-sessions-memory", "2048"],
    ...["+maxHttpConnections=200", "--session-idle", "20", "+pool=4"],
  ], { env: { MCP_RUN_PYTHON_TOKEN: named.join(), TMPDIR: temporary } });
  const tally = new Tally(Object.values(WORK));
  const as = (name: string, random: Random) =>
    new Honest(server, tokens.get(name) ?? "", random, tally);
  const honest = HONEST.map((name, at) => as(name, new Random(seed + at)));
  const greedy = as(GREEDY, new Random(seed));
  const works: SharedWork[] = [];
  let attackerMs = 0;
  const attacks = new Map<string, number>();
  const work = async (count: number, note: (done: Work) => void) => {
    await Promise.all(honest.map(async (caller) => {
      for (let left = count; left > 0; left--) note(await caller.work());
    }));
  };
  await work(WARM_UP, () => {});
  await untilIdle(server.pid);
  /** Files of runs stay by intent, and are more each time. */
  const look = async () => {
    const held = lookAt(server.pid);
    const token = tokens.get(GREEDY) ?? "";
    const kept = await figureOf(server, token, 'share_used{resource="files"}');
    held.memory.server -= kept;
    return held;
  };
  const start = await look();
  const samples: typeof start[] = [];
  const each = Math.ceil(calls / rounds);
  for (let round = 0; round < rounds; round++) {
    await work(WARM_UP, () => {});
    await work(Math.ceil(each * ALONE), (done) => works.push(done));
    {
      await using attacker = await startAttacker({
        url: server.url.href,
        token: tokens.get(GREEDY) ?? "",
        seed: seed + round,
        only,
      }, attacks);
      await work(
        each,
        (done) => works.push({ ...done, attacks: attacker.underWay() }),
      );
      attackerMs += cpuMsOf(attacker.pid) ?? 0;
    }
    await greedy.endSessions();
    await untilIdle(server.pid);
    samples.push(await look());
  }
  const all = [...honest, greedy];
  for (const caller of all) await caller.endSessions();
  await untilFloor(server);
  await untilIdle(server.pid);
  const held = [{ start, samples, end: await look() }];
  const family = [server.pid, ...descendants(server.pid)];
  await server[Symbol.asyncDispose]();
  return {
    ...{ tally, held, works, attacks, attackerMs },
    refused: all.reduce((sum, { refused }) => sum + refused, 0),
    faults: { killed: 0, stopped: 0 },
    outlive: await whichOutlive(family),
    // The lock of a keeper's folder stays.
    files: [...pathsIn(temporary), ...pathsIn(store)]
      .filter((path) => basename(path) !== LOCK),
  };
}

/**
 * Attacks go on in a process of their own: they hold up no honest caller here. Its
 * cores are others in truth: it has what is left of these.
 */
async function startAttacker(
  order: AttackOrder,
  made: Map<string, number>,
): Promise<AsyncDisposable & { pid: number; underWay(): string[] }> {
  const run = [Deno.execPath(), "run", "-A", "--no-check", ATTACKS];
  const process = new Deno.Command("nice", {
    args: ["-n", "19", ...run, JSON.stringify(order)],
    stdout: "piped",
  }).spawn();
  const begun = Promise.withResolvers<void>();
  const underWay: string[] = [];
  const followed = follow();
  await begun.promise;
  return {
    pid: process.pid,
    underWay: () => [...new Set(underWay)],
    async [Symbol.asyncDispose]() {
      process.kill("SIGKILL");
      await followed;
    },
  };

  async function follow(): Promise<void> {
    for await (const line of readLines(process.stdout, LONGEST_NAME)) {
      const [sign = "", ...rest] = decoder.decode(line);
      const name = rest.join("");
      if (sign === "+") {
        underWay.push(name);
        begun.resolve();
      } else {
        underWay.splice(underWay.indexOf(name), 1);
        made.set(name, (made.get(name) ?? 0) + 1);
      }
    }
    begun.reject(new Error("The attacker has ended"));
  }
}

const LONGEST_NAME = 1000;
const decoder = new TextDecoder();

/** The times of honest callers by kind and attack, and what became of all. */
export function sharingReport(shared: Shared): string {
  const { works, refused, attacks, attackerMs } = shared;
  const row = (name: string, some: SharedWork[]) => {
    const [alone, beside] = [false, true].map((isBeside) =>
      some.filter(({ attacks }) => Boolean(attacks) === isBeside)
    );
    return [name, ...toCells(alone), ...toCells(beside)];
  };
  const columns = ["calls", "p50", "p95", "p99"];
  const times = toTable(
    ["ms of callers alone, and beside", ...columns, ...columns],
    [
      ...Object.values(WORK).map(({ name }) =>
        row(name, works.filter(({ kind }) => kind === name))
      ),
      row("**all**", works),
      ...[...attacks.keys()].sort().map((name) =>
        row(
          `${name} (${attacks.get(name)})`,
          works.filter((one) => one.attacks?.includes(name)),
        )
      ),
    ],
  );
  return [
    "Over HTTP, three callers alone, and beside a greedy one:",
    times,
    `p95 beside : alone: ${
      ratioOf(works).toFixed(2)
    }; ${refused} calls refused and tried again; CPU time of the greedy caller: ${
      Math.round(attackerMs / 1000)
    } s`,
    soakReport(shared),
  ].join("\n\n");
}

function toCells(works: SharedWork[] = []): string[] {
  if (works.length === 0) return ["0", "", "", ""];
  const times = works.map(({ ms }) => ms);
  const shares = [0.5, 0.95, 0.99]
    .map((share) => percentile(times, share).toFixed(0));
  return [String(times.length), ...shares];
}

/** p95 beside the greedy caller, by that without it. */
function ratioOf(works: SharedWork[]): number {
  const [alone = NaN, beside = NaN] = [false, true].map((isBeside) =>
    percentile(
      works.filter(({ attacks }) => Boolean(attacks) === isBeside)
        .map(({ ms }) => ms),
      0.95,
    )
  );
  return beside / alone;
}

/** What is not as it should be; nothing if all is well. */
export function sharingComplaints(shared: Shared, most = 2): string[] {
  const ratio = ratioOf(shared.works);
  return [
    ...complaints(shared, { growth: GROWTH }),
    ...(ratio > most
      ? [
        `p95 beside a greedy caller is ${
          ratio.toFixed(2)
        }x, and may be ${most}x`,
      ]
      : []),
  ];
}
