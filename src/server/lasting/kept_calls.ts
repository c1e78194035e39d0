import type { CallToolResult } from "../../../deps/mcp_server.ts";
import { head } from "../../results/cut.ts";
import type { Item, Share } from "../../shares.ts";
import { HostCallError } from "../host_calls/host_call.ts";
import type { Owner } from "../sessions/kept_session.ts";
import type { Shares } from "../shares.ts";
import type { LastingCall } from "./lasting_call.ts";
import type { Rounds } from "./rounds.ts";
import type { Running } from "./running.ts";

/** Calls of an owner that may wait for answers between its requests. */
const MOST_PARKED = 8;

/** A call, and what its next request needs. */
export interface Kept extends Pick<Owner, "realm"> {
  call: LastingCall;
  rounds: Rounds;
  toRunning(running: Running): CallToolResult;
  /** Its result, where it counts. */
  shares: [Share, Item][];
  /** Ends the time for which its result is kept. */
  timer?: ReturnType<typeof setTimeout>;
}

/** The calls that later requests may ask for, and their results for a time. */
export class KeptCalls {
  /** By id, the oldest first. */
  #calls = new Map<string, Kept>();

  constructor(private shares: Pick<Shares, "keptRuns" | "keptRunBytes">) {}

  get size(): number {
    return this.#calls.size;
  }

  /** To other owners, a call does not exist. */
  find(owner: string, id: string): Kept | undefined {
    const kept = this.#calls.get(id);
    return kept?.call.owner === owner ? kept : undefined;
  }

  /** Those of a client, the oldest first; none if nothing tells it from others. */
  list(realm: string | undefined): LastingCall[] {
    return [...this.#calls.values()]
      .filter((kept) => realm !== undefined && kept.realm === realm)
      .map(({ call }) => call);
  }

  /** Keeps a call that asks its client's user, for the client's next request. */
  park(kept: Kept): void {
    const { id, owner, isDetached } = kept.call;
    if (isDetached || this.#calls.has(id)) return;
    const own = [...this.#calls.values()]
      .filter(({ call }) => call.owner === owner && !call.isDetached);
    if (own.length >= MOST_PARKED) {
      const over = own.find(({ call }) => call.isOver);
      if (!over) {
        throw new HostCallError(
          "RuntimeError",
          `Cannot ask for approval as ${own.length} calls of this client wait for an answer of its user already. Wait for some of them first.`,
        );
      }
      this.drop(over.call.id);
    }
    this.keep(kept);
  }

  keep(kept: Kept): void {
    const { id, over } = kept.call;
    if (this.#calls.has(id)) return;
    this.#calls.set(id, kept);
    void over.then(() => this.#keepResult(kept));
  }

  /** The result stays for a time, unless newer ones need its room. */
  async #keepResult(kept: Kept): Promise<void> {
    const { id, owner, result } = kept.call;
    const told = await result.catch(() => ({}));
    if (!this.#calls.has(id)) return;
    const bytes = new TextEncoder().encode(JSON.stringify(told)).length;
    const { keptRuns, keptRunBytes } = this.shares;
    for (
      const [share, amount] of [[keptRuns, 1], [keptRunBytes, bytes]] as const
    ) {
      const item: Item = {
        ...{ caller: owner, amount },
        rest: () => "idle",
        giveWay: () => this.drop(id),
      };
      if (!share.take(item)) return this.drop(id);
      kept.shares.push([share, item]);
    }
    kept.timer = setTimeout(() => this.drop(id), kept.call.keptMs);
    Deno.unrefTimer(kept.timer);
  }

  drop(id: string): void {
    const kept = this.#calls.get(id);
    if (!kept) return;
    this.#calls.delete(id);
    clearTimeout(kept.timer);
    for (const [share, item] of kept.shares) share.drop(item);
  }
}

/** Why there is no such call. */
export function describeUnknown(kind: "run" | "task", id: string): string {
  return `Cannot find the ${kind} ${
    JSON.stringify(head(id, 100))
  }: it is not a ${kind} of this client, its result was kept for its time (--keep-results) or gave way to newer ones, or the server has begun anew. Run the code again.`;
}
