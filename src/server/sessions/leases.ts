import { fields } from "../../protocol/fields.ts";
import type { Facts } from "../../protocol/keeper_messages.ts";
import type { Log } from "../../protocol/log_lines.ts";
import { messageOf } from "../../errors.ts";
import type { Kept } from "../keeper.ts";

/** Times in milliseconds; tests choose shorter ones. */
export interface LeaseTimes {
  /** Between two signs of life of a server that has sessions. */
  beatMs: number;
  /** A server without a sign of life in this time is dead. */
  silenceMs: number;
  /** Time that a call waits for another server to let its session go. */
  moveMs: number;
}

export const LEASE_TIMES: LeaseTimes = {
  beatMs: 2000,
  silenceMs: 10_000,
  moveMs: 5000,
};

/** The part of the silence after which a server does not trust in its last sign. */
const SURE = 0.7;
/** Sessions of other servers that a sign of life can ask for. */
const MOST_WANTED = 60;
/** Silences after which the sign of life of a dead server is removed. */
const FORGOTTEN = 100;
/** A server that has never been. */
const NONE = "none";
/** Looks at a lease of another server, in a beat. */
const LOOKS = 8;

export interface LeaseOptions {
  /** This server, for callers of other servers. */
  name: string;
  log: Pick<Log, "write">;
  times?: LeaseTimes;
  /** Told keys of sessions for which another server has a call. */
  onWanted(key: string): void;
}

/** A session that another server has, as the end of a sentence. */
export interface Elsewhere {
  elsewhere: string;
  /** Seconds after which a call may find it free. */
  seconds: number;
}

/** A lease that this server has now. */
export interface Claimed {
  /** The revision of the stored state on which code has run last. */
  ranOn: string | undefined;
}

interface Held {
  owner: string;
  revision: string;
  ranOn: string | undefined;
}

interface Lease {
  server: string;
  name: string;
  ranOn?: string;
}

/**
 * The sessions that this server has, among the servers that share a store. A lease is
 * a value whose revision changes with its server: nothing of a session is written
 * without the lease's revision, so a server that was taken for dead changes nothing.
 * Servers that have sessions give signs of life, by which others know the dead; no
 * clock of another machine is compared.
 */
export class Leases {
  readonly #id = crypto.randomUUID();
  /** By key. */
  #held = new Map<string, Held>();
  /** Other servers, by id: their last sign of life, and when it was seen first. */
  #others = new Map<string, { revision: string; at: number }>();
  #wanted = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #beating: Promise<void> | undefined;
  /** When the last sign of life that is written was begun. */
  #sureSince = -Infinity;
  #times: LeaseTimes;

  constructor(
    private kept: Pick<Kept, "info" | "list" | "put" | "delete">,
    private options: LeaseOptions,
  ) {
    this.#times = options.times ?? LEASE_TIMES;
  }

  /** The revision of a lease of this server; undefined if it has none. */
  revision(owner: string, key: string): string | undefined {
    return this.#of(owner, key)?.revision;
  }

  #of(owner: string, key: string): Held | undefined {
    const held = this.#held.get(key);
    return held?.owner === owner ? held : undefined;
  }

  /**
   * Takes the lease of a session, which its server may be asked to let go.
   *
   * @throws {KeeperError} If the store cannot be reached or written.
   */
  async claim(
    owner: string,
    key: string,
    signal?: AbortSignal,
  ): Promise<Claimed | Elsewhere> {
    const until = performance.now() + this.#times.moveMs;
    try {
      for (;;) {
        const held = this.#of(owner, key);
        if (held) return { ranOn: held.ranOn };
        const facts = await this.kept.info("leases", owner, key);
        const lease = facts && parseLease(facts);
        const state = lease && lease.server !== this.#id
          ? await this.#stateOf(lease.server)
          : "dead";
        if (state === "dead") {
          const ranOn = lease?.ranOn;
          const mine = ranOn === undefined ? {} : { ranOn };
          const before = facts?.revision ?? "";
          if (await this.#write(owner, key, mine, before)) return { ranOn };
          continue;
        }
        const isOver = state === "alive" && performance.now() > until;
        if (isOver || signal?.aborted) {
          return {
            elsewhere: `${lease?.name} has it`,
            seconds: Math.ceil(this.#times.beatMs / 1000),
          };
        }
        this.#want(key);
        await pause(this.#times.beatMs / LOOKS);
      }
    } finally {
      this.#wanted.delete(key);
    }
  }

  /**
   * Notes that code runs on a stored state, or on none: whoever finds the lease of a
   * dead server knows whether that state is the last one.
   *
   * @param stored The state's revision, empty if there is none; several by spaces, if
   * one of them is being stored.
   * @returns Whether this server has the session.
   */
  async noteRun(owner: string, key: string, stored: string): Promise<boolean> {
    const held = this.#of(owner, key);
    if (held?.ranOn === stored) return true;
    const before = held?.revision ?? "";
    return await this.#write(owner, key, { ranOn: stored }, before);
  }

  /** Whether this server has a session still, though it may have stood still. */
  async isOwn(owner: string, key: string): Promise<boolean> {
    const held = this.#of(owner, key);
    if (!held) return false;
    if (this.#isSure) return true;
    // The sign of life fails on a full disk, on which a lease can be read.
    await this.#beat().catch(() => {});
    return await this.#verify(key, { ...held, owner });
  }

  async #verify(key: string, { owner, revision }: Held): Promise<boolean> {
    const facts = await this.kept.info("leases", owner, key);
    if (facts?.revision === revision) return true;
    const { server, ranOn } = facts && parseLease(facts) || {};
    // It may have been written anew meanwhile, even without an answer.
    if (server === this.#id && facts) {
      this.#held.set(key, { owner, revision: facts.revision, ranOn });
    } else if (this.#held.get(key)?.revision === revision) {
      this.#held.delete(key);
    }
    return this.#held.has(key);
  }

  /**
   * Lets a session go.
   *
   * @param stored The revision of its stored state: if code has run on that, the next
   * server is told.
   */
  async free(owner: string, key: string, stored?: string): Promise<void> {
    const held = this.#of(owner, key);
    if (!held) return;
    this.#held.delete(key);
    const { revision: ifRevision, ranOn } = held;
    if (stored && hasRunOn(ranOn, stored)) {
      const lease: Lease = { server: NONE, name: NONE, ranOn: stored };
      const value = { text: "", metadata: JSON.stringify(lease), ifRevision };
      await this.kept.put("leases", owner, key, value);
    } else await this.kept.delete("leases", owner, key, { ifRevision });
  }

  /** Lets all sessions go: a server without a sign of life is dead. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#beating?.catch(() => {});
    clearTimeout(this.#timer);
    if (this.#sureSince === -Infinity) return;
    await this.kept.delete("servers", "", this.#id);
  }

  /** Writes a lease in the place of that revision; false if there is another. */
  async #write(
    owner: string,
    key: string,
    more: Pick<Lease, "ranOn">,
    ifRevision: string,
  ): Promise<boolean> {
    // Without a sign of life, or after it was silent without sessions, another server
    // would take the lease at once.
    if (!this.#isSure) await this.#beat();
    const lease: Lease = { server: this.#id, name: this.options.name, ...more };
    const metadata = JSON.stringify(lease);
    const value = { text: "", metadata, ifRevision };
    let facts = await this.kept.put("leases", owner, key, value);
    // An answer that was lost has written it.
    if (!facts) {
      const found = await this.kept.info("leases", owner, key);
      if (found?.metadata === metadata) facts = found;
    }
    if (facts) {
      const { revision } = facts;
      this.#held.set(key, { owner, revision, ranOn: more.ranOn });
      this.#beatLater();
    } else this.#held.delete(key);
    return facts !== undefined;
  }

  /** Whether a server lives; unsure if it has been seen for too short a time. */
  async #stateOf(server: string): Promise<"alive" | "dead" | "unsure"> {
    const facts = await this.kept.info("servers", "", server);
    if (!facts) return "dead";
    const now = performance.now();
    const seen = this.#others.get(server);
    if (seen?.revision !== facts.revision) {
      this.#others.set(server, { revision: facts.revision, at: now });
      return seen ? "alive" : "unsure";
    }
    const silentMs = now - seen.at;
    if (silentMs > this.#times.silenceMs) return "dead";
    return silentMs < 2 * this.#times.beatMs && this.#isBeating
      ? "alive"
      : "unsure";
  }

  get #isSure(): boolean {
    const sureMs = this.#times.silenceMs * SURE;
    return performance.now() - this.#sureSince < sureMs;
  }

  get #isBeating(): boolean {
    return this.#timer !== undefined;
  }

  #want(key: string): void {
    if (this.#wanted.has(key) || this.#wanted.size >= MOST_WANTED) return;
    this.#wanted.add(key);
    void this.#beat().catch(() => {});
    this.#beatLater();
  }

  #beatLater(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(async () => {
      this.#timer = undefined;
      try {
        await this.#beat();
      } catch (error) {
        const reason = messageOf(error);
        const facts = { event: "no sign of life", reason };
        this.options.log.write("warning", "session-store", facts);
      }
      if (this.#held.size + this.#wanted.size > 0) this.#beatLater();
    }, this.#times.beatMs);
    Deno.unrefTimer(this.#timer);
  }

  #beat(): Promise<void> {
    return this.#beating ??= this.#beatNow()
      .finally(() => this.#beating = undefined);
  }

  /** Gives a sign of life, and sees those of others and the sessions they ask for. */
  async #beatNow(): Promise<void> {
    const started = performance.now();
    const metadata = JSON.stringify({ wanted: [...this.#wanted] });
    const value = { text: "", metadata };
    const wasSilent = !this.#isSure;
    await this.kept.put("servers", "", this.#id, value);
    // Another server may have taken it for dead.
    if (wasSilent) {
      for (const [key, held] of this.#held) await this.#verify(key, held);
    }
    this.#sureSince = started;
    const wanted = new Set<string>();
    for (const facts of await this.kept.list("servers", "")) {
      const { key, revision } = facts;
      if (key === this.#id) continue;
      for (const one of parseWanted(facts)) wanted.add(one);
      const seen = this.#others.get(key);
      if (seen?.revision !== revision) {
        this.#others.set(key, { revision, at: started });
      } else if (started - seen.at > FORGOTTEN * this.#times.silenceMs) {
        this.#others.delete(key);
        await this.kept.delete("servers", "", key, { ifRevision: revision });
      }
    }
    for (const key of wanted) {
      if (this.#held.has(key)) this.options.onWanted(key);
    }
  }
}

/** Whether code has run on a stored state, by the note of a lease. */
export function hasRunOn(ranOn: string | undefined, stored: string): boolean {
  return ranOn?.split(" ").includes(stored) ?? false;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A lease of another form is that of a dead server. */
function parseLease({ metadata }: Facts): Lease | undefined {
  const { server, name, ranOn } = parse(metadata);
  if (typeof server !== "string" || typeof name !== "string") return undefined;
  return { server, name, ...typeof ranOn === "string" ? { ranOn } : {} };
}

function parseWanted({ metadata }: Facts): string[] {
  const { wanted } = parse(metadata);
  return Array.isArray(wanted)
    ? wanted.filter((key) => typeof key === "string")
    : [];
}

function parse(text = "{}"): Record<string, unknown> {
  try {
    return fields(JSON.parse(text));
  } catch {
    return {};
  }
}
