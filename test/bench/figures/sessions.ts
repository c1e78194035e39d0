import { assert, assertEquals } from "../../../deps/assert.ts";
import { callNoop } from "../calls.ts";
import { untilIdle } from "../idle.ts";
import { McpPeer } from "../mcp_peer.ts";
import { cpuMsOf, familyOf, memoryOf } from "../usage.ts";

/** Calls before the clock starts, for V8 to compile and the pool to grow. */
const WARM_UP = 5;
const MANY = 50;
const IDLE_MS = 5000;
/** Until looks at idle interpreters come as seldom as they will. */
const SETTLE_MS = 4000;

/** Wall times of calls that find everything idle. */
export interface SessionCalls {
  noop: number[];
  /** In a session that goes on. */
  warm: number[];
  /** That open a session. */
  opening: number[];
}

/** What all processes of a server take while no call comes. */
export interface Held {
  /** CPU time in a second. */
  cpuMs: number;
  resident: number;
  share: number;
}

export interface IdleSessions {
  sessions: number;
  without: Held;
  with: Held;
}

/** Ours and baseline, in turns. */
export async function measureSessionCalls(
  count: number,
): Promise<SessionCalls> {
  await using noop = McpPeer.startNoop();
  await using ours = McpPeer.startOurs();
  await noop.connect();
  await ours.connect();
  const session = await openSession(ours);
  const times: SessionCalls = { noop: [], warm: [], opening: [] };
  for (let number = -WARM_UP; number < count; number++) {
    await untilIdle(ours.pid);
    const none = await timeOf(() => callNoop(noop, number));
    const warm = await timeOf(() => callSession(ours, session, number));
    await untilIdle(ours.pid);
    let opened = "";
    const opening = await timeOf(async () => opened = await openSession(ours));
    await ours.callTool("end_session", { session: opened });
    if (number < 0) continue;
    times.noop.push(none);
    times.warm.push(warm);
    times.opening.push(opening);
  }
  return times;
}

/** Undefined where the system does not tell. */
export async function measureIdleSessions(): Promise<IdleSessions | undefined> {
  await using server = McpPeer.startOurs([
    ...McpPeer.CACHE_ARGS,
    ...[`+maxSessions=${MANY}`],
    ...["--max-sessions-memory", String(1 << 20)],
  ]);
  await server.connect();
  // The pool is as large as it stays.
  for (let number = 0; number < WARM_UP; number++) {
    const session = await openSession(server);
    await server.callTool("end_session", { session });
  }
  const before = await lookAt(server.pid);
  const sessions: string[] = [];
  while (sessions.length < MANY) sessions.push(await openSession(server));
  const after = await lookAt(server.pid);
  for (const [number, session] of sessions.entries()) {
    await callSession(server, session, number);
  }
  return before && after && { sessions: MANY, without: before, with: after };
}

/** Opens a session that keeps a number; gives its handle. */
async function openSession(server: McpPeer): Promise<string> {
  const { structuredContent } = await server.callTool("run_python_code", {
    python_code: "kept = 1\nkept + 1",
    session: "new",
  });
  const { session, ...rest } = Object(structuredContent);
  assert(typeof session === "string");
  assertEquals(rest, { status: "success", output: [], return_value: 2 });
  return session;
}

/** Adds a number to the number that the session keeps. */
async function callSession(
  server: McpPeer,
  session: string,
  number: number,
): Promise<void> {
  const { structuredContent } = await server.callTool("run_python_code", {
    python_code: `${number} + kept`,
    session,
  });
  assertEquals(structuredContent, {
    ...{ status: "success", output: [], return_value: number + 1, session },
  });
}

async function lookAt(pid: number): Promise<Held | undefined> {
  await delay(SETTLE_MS);
  const before = cpuMsOf(pid);
  await delay(IDLE_MS);
  const after = cpuMsOf(pid);
  if (before === undefined || after === undefined) return undefined;
  const sum = { cpuMs: (after - before) / IDLE_MS * 1000 };
  return familyOf(pid).map(memoryOf).reduce((sum, memory) => ({
    ...sum,
    resident: sum.resident + (memory?.resident ?? 0),
    share: sum.share + (memory?.share ?? 0),
  }), { ...sum, resident: 0, share: 0 });
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
