import { callPython } from "../calls.ts";
import { untilIdle } from "../idle.ts";
import { McpPeer } from "../mcp_peer.ts";
import type { Peer } from "../peer.ts";
import { familyOf, type Memory, memoryOf } from "../usage.ts";
import { startCold } from "./cold.ts";

type Held = Pick<Memory, "resident" | "share">;

/** Memory that each further one takes, of two that are added to a first. */
export interface Further {
  ours: Held;
  cold: Held;
}

const MANY = 3;

/** Ours and baseline; undefined where the system does not tell. */
export async function measureFurther(): Promise<Further | undefined> {
  const ours = [await heldByOurs(1), await heldByOurs(MANY)] as const;
  const cold = [await heldByCold(1), await heldByCold(MANY)] as const;
  const oursEach = each(...ours);
  const coldEach = each(...cold);
  return oursEach && coldEach && { ours: oursEach, cold: coldEach };
}

/** All processes of a server that has so many sandboxes ready. */
async function heldByOurs(ready: number): Promise<Held | undefined> {
  const size = String(ready);
  await using server = McpPeer.startOurs([
    ...McpPeer.CACHE_ARGS,
    ...["--pool", size, "--max-concurrency", size],
  ]);
  await server.connect();
  // Without a call there is one, whatever the size.
  await Promise.all(
    Array.from({ length: ready }, (_, number) => callPython(server, number)),
  );
  await untilIdle(server.pid);
  return heldBy(familyOf(server.pid));
}

async function heldByCold(count: number): Promise<Held | undefined> {
  await using stack = new AsyncDisposableStack();
  const all: Peer[] = [];
  while (all.length < count) all.push(stack.use(await startCold()));
  return heldBy(all.map(({ pid }) => pid));
}

function heldBy(pids: number[]): Held | undefined {
  const sum = { resident: 0, share: 0 };
  for (const pid of pids) {
    const memory = memoryOf(pid);
    if (memory?.share === undefined) return undefined;
    sum.resident += memory.resident;
    sum.share += memory.share;
  }
  return sum;
}

function each(one?: Held, many?: Held): Held | undefined {
  if (one?.share === undefined || many?.share === undefined) return undefined;
  return {
    resident: (many.resident - one.resident) / (MANY - 1),
    share: (many.share - one.share) / (MANY - 1),
  };
}
