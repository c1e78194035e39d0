import { assertEquals } from "../../../deps/assert.ts";
import { tempFolder } from "../../support/folder.ts";
import { processesNamed } from "../../support/processes.ts";
import { McpPeer } from "../mcp_peer.ts";
import { percentile } from "../statistics.ts";
import { cpuMsOf } from "../usage.ts";

/** What each session holds, in MiB; the bytes are not alike. */
const HELD_MIB = 20;
/** Sessions that change in turns while calls are timed. */
const CHANGING = 4;
const CALLS = 300;
/** Sessions that are known, and those of them that are awake. */
const KNOWN = 60;
const AWAKE = 20;
/** Time between two changes: each session is stored after its own. */
const CHANGE_MS = 1500;
const IDLE_MS = 10_000;

export interface StoringFigures {
  /** p95 of calls beside sessions that change, in ms. */
  withStore: number;
  withoutStore: number;
  /** From SIGTERM to the end of the server, with sessions that have just changed. */
  ending: { sessions: number; ms: number };
  /** Calls of sessions that sleep, in ms: while others must sleep for them, and alone. */
  waking: { known: number; awake: number; beside: number[]; alone: number[] };
  /** CPU time in a second of a server whose sessions rest, without them, in ms. */
  leases: { sessions: number; withStore: number; withoutStore: number };
}

/** @param many Sessions to be saved at the end. */
export async function measureStoring(many: number): Promise<StoringFigures> {
  await using folder = await tempFolder();
  const [store] = await folder.make("store");
  await Deno.chmod(store, 0o700);
  const start = (options: string[]) =>
    McpPeer.startOurs([
      ...McpPeer.CACHE_ARGS,
      ...[...options, `+maxSessions=${many}`],
      ...["--max-sessions-memory", String(1 << 20)],
    ]);
  await using stored = start(["--session-store", store]);
  await using unstored = start([]);
  const times: number[][] = [];
  const cpuMs: number[] = [];
  for (const server of [stored, unstored]) {
    await server.connect();
    const sessions = await openMany(server, CHANGING);
    times.push(await timeCalls(server, sessions));
    cpuMs.push(await idleCpuMs(server));
  }
  const more = await openMany(stored, many - CHANGING);
  await Promise.all(more.map((session) => change(stored, session)));
  const asked = performance.now();
  Deno.kill(stored.pid, "SIGTERM");
  await stored.receive().catch(() => {
    // It has ended.
  });
  const ms = performance.now() - asked;
  const [withStore = [], withoutStore = []] = times;
  const [cpuWith = NaN, cpuWithout = NaN] = cpuMs;
  return {
    withStore: percentile(withStore, 0.95),
    withoutStore: percentile(withoutStore, 0.95),
    ending: { sessions: many, ms },
    waking: {
      ...{ known: KNOWN, awake: AWAKE },
      beside: await timeWaking([`+maxSessions=${AWAKE}`]),
      alone: await timeWaking(["--session-idle", "2"]),
    },
    leases: {
      ...{ sessions: CHANGING, withStore: cpuWith, withoutStore: cpuWithout },
    },
  };
}

/** Calls each of many sessions, all of which sleep, or most. */
async function timeWaking(options: string[]): Promise<number[]> {
  await using folder = await tempFolder();
  const [store] = await folder.make("store");
  await Deno.chmod(store, 0o700);
  await using server = McpPeer.startOurs([
    ...McpPeer.CACHE_ARGS,
    ...["--session-store", store, ...options],
  ]);
  await server.connect();
  const sessions = await openMany(server, KNOWN);
  const times: number[] = [];
  for (const session of sessions) {
    // Those that were used last are stored, too.
    await untilSleeps(server, session);
    const started = performance.now();
    await run(server, "len(kept)", session);
    times.push(performance.now() - started);
  }
  return times;
}

async function untilSleeps(server: McpPeer, session: string): Promise<void> {
  for (;;) {
    const { structuredContent } = await server.callTool("list_sessions", {});
    const found = Object(structuredContent).sessions
      .find((one: { session: string }) => one.session === session);
    if (found?.state === "saved") return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function openMany(server: McpPeer, count: number): Promise<string[]> {
  const sessions: string[] = [];
  while (sessions.length < count) {
    sessions.push(
      await run(
        server,
        `import random\nkept = bytearray(random.randbytes(${HELD_MIB} << 20)); len(kept)`,
        "new",
      ),
    );
  }
  return sessions;
}

async function change(server: McpPeer, session: string): Promise<void> {
  await run(server, "kept[::4096] = bytes(len(kept[::4096])); None", session);
}

/** Calls of a fresh interpreter, beside sessions that change. */
async function timeCalls(
  server: McpPeer,
  sessions: string[],
): Promise<number[]> {
  const times: number[] = [];
  let changed = performance.now();
  for (let number = 0; times.length < CALLS; number++) {
    const started = performance.now();
    await run(server, `${number}`, undefined);
    times.push(performance.now() - started);
    if (performance.now() - changed > CHANGE_MS) {
      const session = sessions[number % sessions.length] ?? "";
      await change(server, session);
      changed = performance.now();
    }
    // A client thinks: the machine is not busy all the time.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return times;
}

async function idleCpuMs(server: McpPeer): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const before = cpuMsBeside(server);
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  return (cpuMsBeside(server) - before) / IDLE_MS * 1000;
}

/** CPU time of all processes but sandboxes, which know nothing of leases. */
function cpuMsBeside({ pid }: McpPeer): number {
  const sandboxes = processesNamed("sandbox", pid)
    .map((sandbox) => cpuMsOf(sandbox) ?? NaN);
  return sandboxes.reduce((left, one) => left - one, cpuMsOf(pid) ?? NaN);
}

/** Runs code, in a session if one is named; gives the session of its result. */
export async function run(
  server: McpPeer,
  code: string,
  session: string | undefined,
): Promise<string> {
  const { structuredContent } = await server.callTool("run_python_code", {
    ...{ python_code: code, ...session === undefined ? {} : { session } },
  });
  const result = Object(structuredContent);
  assertEquals(result.status, "success", JSON.stringify(result));
  return String(result.session);
}
