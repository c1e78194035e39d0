import { fileURLToPath } from "node:url";
import { assertEquals } from "../../../deps/assert.ts";
import { callPython } from "../calls.ts";
import { untilIdle } from "../idle.ts";
import { type Kinds, kindsOf } from "../mappings.ts";
import { McpPeer } from "../mcp_peer.ts";
import { Peer } from "../peer.ts";
import { familyOf, type Memory, memoryOf } from "../usage.ts";
import { startCold } from "./cold.ts";
import { nameOf } from "./memory.ts";

interface Held extends Pick<Memory, "resident" | "share"> {
  /** The memory of one of them by kind. */
  kinds: Kinds | undefined;
}

/** Memory that each further one takes, of two that are added to a first. */
export interface Further {
  ours: Held;
  cold: Held;
  /** Deno with a worker, and nothing in either. */
  empty: Held;
}

const MANY = 3;
const EMPTY = fileURLToPath(import.meta.resolve("../idle_worker.ts"));

/** Ours and baselines; undefined where the system does not tell. */
export async function measureFurther(): Promise<Further | undefined> {
  const ours = each(await heldByOurs(1), await heldByOurs(MANY));
  const cold = each(
    await heldBySome(1, startCold),
    await heldBySome(MANY, startCold),
  );
  const empty = each(
    await heldBySome(1, startEmpty),
    await heldBySome(MANY, startEmpty),
  );
  return ours && cold && empty && { ours, cold, empty };
}

/** All processes of a server that has so many sandboxes ready. */
async function heldByOurs(ready: number): Promise<Held | undefined> {
  const size = String(ready);
  await using server = McpPeer.startOurs([
    ...McpPeer.CACHE_ARGS,
    ...[`+pool=${size}`, "--max-concurrency", size],
  ]);
  await server.connect();
  // Without a call there is one, whatever the size.
  await Promise.all(
    Array.from({ length: ready }, (_, number) => callPython(server, number)),
  );
  await untilIdle(server.pid);
  const family = familyOf(server.pid);
  return heldBy(family, family.find((pid) => nameOf(pid) === "sandbox"));
}

async function heldBySome(
  count: number,
  start: () => Promise<Peer>,
): Promise<Held | undefined> {
  await using stack = new AsyncDisposableStack();
  const all: Peer[] = [];
  while (all.length < count) all.push(stack.use(await start()));
  const pids = all.map(({ pid }) => pid);
  return heldBy(pids, pids[0]);
}

async function startEmpty(): Promise<Peer> {
  const empty = new Peer(["-A", EMPTY]);
  assertEquals(await empty.receive(), "2");
  return empty;
}

/** @param example The process whose memory is told by kind. */
function heldBy(pids: number[], example?: number): Held | undefined {
  const kinds = example === undefined ? undefined : kindsOf(example);
  const sum = { resident: 0, share: 0, kinds };
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
    kinds: many.kinds,
  };
}
