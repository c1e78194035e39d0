import { fileURLToPath } from "node:url";
import { makeCache } from "../../support/cache.ts";
import { CLI } from "../../support/command.ts";
import {
  descendants,
  processesNamed,
  whichOutlive,
} from "../../support/processes.ts";
import {
  connectTo,
  endBySignal,
  type TestServer,
} from "../../support/server.ts";
import { untilIdle } from "../idle.ts";
import { type Kind, KINDS, PATIENCE_S } from "./kinds.ts";
import { Random } from "./random.ts";
import { makeNonce, Tally } from "./tally.ts";
import { type Held, lookAt, pathsIn } from "./usage.ts";

/** How much to do. */
export interface SoakOptions {
  runs: number;
  seed: number;
  /** Servers, each with a client of its own. */
  servers: number;
  /** Calls that each client has under way at once. */
  callers: number;
  /** Whether to wait until servers keep no more than they do without calls. */
  untilFloor: boolean;
  onProgress?(tally: Tally, faults: number): void;
  /** Options of the servers, and the runs that they get. */
  served?: { args: string[]; kinds: readonly [Kind, ...Kind[]] };
}

/** What came of it. */
export interface Soaked {
  tally: Tally;
  /** Processes that were killed, and stopped. */
  faults: { killed: number; stopped: number };
  /** Of each server: at its start, now and then, and at its end. */
  held: { start: Held; samples: Held[]; end: Held }[];
  /** Processes that outlive their client. */
  outlive: number[];
  /** Paths that there were not before. */
  files: string[];
}

/** Clients that stop to read, now and then. */
const LAZY_READER = fileURLToPath(
  import.meta.resolve("../../support/lazy_reader.ts"),
);
const SIZES = ["+pool=2", "--max-concurrency", "2"];
const LIMITS = ["--memory", "256", "+startTimeoutSeconds=15"];
/** Share of answers after which a sandbox process is killed or stopped. */
const FAULTS = 0.04;
const SAMPLE_EVERY = 10;
/** Sandboxes that a pool keeps without a call. */
export const FLOOR = 1;
/** It keeps more for a minute. */
const FLOOR_WITHIN_MS = 90_000;

/** Has real servers do many runs of all kinds, some in processes that die. */
export async function soak(options: SoakOptions): Promise<Soaked> {
  await using cache = await makeCache();
  const temporary = await Deno.makeTempDir({ prefix: "mcp-run-python-" });
  const random = new Random(options.seed);
  const tally = new Tally();
  const stopped = new Set<number>();
  const faults = { killed: 0, stopped: 0 };
  const before = pathsIn(cache.folder);

  const { args: more, kinds } = options.served ?? { args: [], kinds: KINDS };
  const args = ["--cache-dir", cache.folder, ...SIZES, ...LIMITS, ...more];
  const servers = await Promise.all(
    Array.from(
      { length: options.servers },
      () => startLazy(args, random, { TMPDIR: temporary }),
    ),
  );
  const held: Soaked["held"] = [];
  for (const server of servers) {
    await untilIdle(server.pid);
    const now = lookAt(server.pid);
    held.push({ start: now, samples: [], end: now });
  }

  let left = options.runs;
  await Promise.all(
    servers.flatMap((server) =>
      Array.from({ length: options.callers }, async () => {
        while (left-- > 0) {
          await callOnce(server, { random, kinds }, tally);
          maybeFault();
          if (tally.ended % SAMPLE_EVERY === 0) sample();
          options.onProgress?.(tally, faults.killed + faults.stopped);
        }
      })
    ),
  );
  for (const pid of stopped) maybeSignal(pid, "SIGCONT");
  await Promise.all(servers.map(async (server, at) => {
    await callKind(server, kinds[0], tally);
    // Then the pool has grown as far as it does after a call.
    await untilIdle(server.pid);
    if (options.untilFloor) await untilFloor(server);
    const one = held[at];
    if (one) one.end = lookAt(server.pid);
  }));

  const families = servers.flatMap(({ pid }) => [pid, ...descendants(pid)]);
  await Promise.all(servers.map((server) => server.client.close()));
  const outlive = await whichOutlive(families);
  const files = [
    ...pathsIn(cache.folder).filter((path) => !before.includes(path)),
    ...pathsIn(temporary),
  ];
  await Deno.remove(temporary, { recursive: true });
  return { tally, faults, held, outlive, files };

  function maybeFault(): void {
    if (!random.isIn(FAULTS)) return;
    const isKill = random.isIn(0.6);
    const server = random.pick(servers);
    const pid = server && random.pick(processesNamed("sandbox", server.pid));
    if (pid === undefined) return;
    if (!maybeSignal(pid, isKill ? "SIGKILL" : "SIGSTOP")) return;
    faults[isKill ? "killed" : "stopped"]++;
    if (!isKill) stopped.add(pid);
  }

  function sample(): void {
    for (const [at, { pid }] of servers.entries()) {
      held[at]?.samples.push(lookAt(pid));
    }
  }
}

/** Starts a server for a client that stops to read, now and then. */
export async function startLazy(
  args: string[],
  random: Random,
  env: Record<string, string>,
): Promise<TestServer> {
  const seed = String(Math.floor(random.next() * 2 ** 31));
  const server = await connectTo([LAZY_READER, seed, CLI, ...args, "stdio"], {
    env,
  });
  const [pid = server.pid] = descendants(server.pid);
  return { ...server, pid, end: () => endBySignal(server, pid) };
}

async function callOnce(
  server: TestServer,
  { random, kinds }: { random: Random; kinds: readonly [Kind, ...Kind[]] },
  tally: Tally,
): Promise<void> {
  const kind = random.pickByWeight(kinds);
  if (!kind.isCancelled) return await callKind(server, kind, tally);
  const cancel = new AbortController();
  const late = setTimeout(() => cancel.abort(), random.next() * 500);
  await callKind(server, kind, tally, cancel.signal);
  clearTimeout(late);
}

async function callKind(
  server: TestServer,
  kind: Kind,
  tally: Tally,
  signal?: AbortSignal,
): Promise<void> {
  const nonce = makeNonce();
  try {
    const called = await server.call(kind.code, {
      global_variables: { nonce },
      timeout: kind.timeoutSeconds ?? PATIENCE_S,
    }, signal ? { signal } : {});
    tally.answered(kind, nonce, called);
  } catch (error) {
    if (signal?.aborted) tally.cancelled(kind);
    else tally.failed(kind, nonce, String(error));
  }
}

/** Waits until a server has as few sandboxes as it keeps without a call. */
export async function untilFloor(
  { pid }: Pick<TestServer, "pid">,
): Promise<void> {
  const deadline = Date.now() + FLOOR_WITHIN_MS;
  while (
    processesNamed("sandbox", pid).length > FLOOR && Date.now() < deadline
  ) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Whether there was such a process. */
export function maybeSignal(pid: number, signal: Deno.Signal): boolean {
  try {
    Deno.kill(pid, signal);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
