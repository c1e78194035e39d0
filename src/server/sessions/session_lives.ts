import type { Log } from "../../protocol/log_lines.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import { Latest } from "../../protocol/latest.ts";
import type { BackgroundUse } from "../../protocol/sandbox_messages.ts";
import type { Item } from "../../shares.ts";
import type { Shares } from "../shares.ts";
import { head } from "../../results/cut.ts";
import { refusal } from "../pool/pool.ts";
import { PacedWork } from "../one_at_a_time.ts";
import type { Pools } from "../pool/script_pools.ts";
import type { SessionStore } from "./saved_sessions.ts";
import { type Eviction, lossByEnd, SessionFigures } from "./session_figures.ts";
import { Restoring } from "./restoring.ts";
import {
  type Fate,
  Storing,
  STORING_TIMES,
  type StoringTimes,
} from "./storing.ts";
import {
  holdCalls,
  isAwake,
  type KeptSession,
  type Opening,
  SessionLife,
} from "./kept_session.ts";

export type SessionShares = Pick<Shares, "sessions" | "sessionMemory">;

/** Time between two looks at what the tasks of a session take. */
const QUIET_MS = 1000;
/** Characters of the reason for which an interpreter has ended. */
const LONGEST_REASON = 500;
/** Times that an unused session stays though it cannot be saved. */
const MOST_FAILED_RESTS = 3;
/** Time before a session that could not be stored is to make room again. */
const AGAIN_MS = 5000;

/** The part of the memory beyond which it is short. */
const SHORT = 0.75;

export interface LivesSettings {
  isForPrograms?: boolean;
  /** Whether a session that has lost runs may go on without them. */
  lostSessions: "fresh" | "refuse";
  /** Memory that each takes before its code takes any. */
  sessionMiB?: number;
  storing?: StoringTimes;
}

/**
 * The interpreters of all sessions: at most so many, in so much memory. A session
 * that makes room for another is saved if it can be, or loses its state.
 */
export class SessionLives {
  /** Those that are there, or about to be. */
  #lives = new Map<SessionLife, { place: Item; memory: Item }>();
  #rooms = new PacedWork();
  readonly storing: Storing;
  readonly restoring: Restoring;

  /** @param sessions Gives all sessions, the least recently used first. */
  constructor(
    private sessions: () => IteratorObject<KeptSession>,
    private pools: Pools,
    private settings: LivesSettings,
    private shares: SessionShares,
    log: Pick<Log, "write">,
    private saved?: SessionStore,
    private figures: SessionFigures = new SessionFigures(),
  ) {
    const more = {
      ...{ times: settings.storing, figures },
      onMoved: (entry: KeptSession, life: SessionLife) => {
        // The server that has it knows its state.
        if (entry.life === life) entry.life = undefined;
        life.lose("another server has it", "moved");
        void this.close(life);
      },
    };
    this.storing = new Storing(pools, log, saved, more);
    this.restoring = new Restoring(pools, settings, saved, {
      ...{ figures, note: (...fate) => this.storing.note(...fate) },
    });
  }

  /** Starts an interpreter for a session as soon as there is room for it. */
  start(
    entry: KeptSession,
    open: (life: SessionLife) => Opening,
  ): SessionLife {
    return new SessionLife(this.pools, async (life) => {
      let isOpen = false;
      try {
        const refused = await this.#makeRoom(life, entry);
        const opened = refused ? { refused } : await open(life);
        isOpen = !opened.refused;
        opened.session?.follow({
          onBackground: this.#follow(life),
          onEnd: (reason, cause) => {
            life.lose(head(reason, LONGEST_REASON), lossByEnd(cause));
            this.#note("lost", entry, life.lost);
            this.#forget(life);
          },
        });
        return opened;
      } finally {
        if (!isOpen) this.#forget(life);
      }
    });
  }

  /** A session may be hostile, and say anything at any time. */
  #follow(life: SessionLife): (use: BackgroundUse) => void {
    const latest = new Latest<BackgroundUse>(QUIET_MS, (use) => {
      life.noteBackground(use);
      this.keepWithinMemory();
    });
    return (use) => latest.push("", use);
  }

  /** Makes room for another interpreter; or says that there is none. */
  #makeRoom(
    life: SessionLife,
    entry: KeptSession,
  ): Promise<RunResult | undefined> {
    // Else each of a caller's calls would have another session of others go.
    return this.#rooms.do(
      entry.owner,
      () => this.#findRoom(life, entry),
      () => this.shares.sessions.isContended,
    );
  }

  async #findRoom(
    life: SessionLife,
    entry: KeptSession,
  ): Promise<RunResult | undefined> {
    const { sessions, sessionMemory } = this.shares;
    const { total } = sessions;
    const { owner: caller } = entry;
    for (let found; (found = sessions.find(caller, 1)) !== true;) {
      const [resting] = [...this.sessions()]
        .flatMap(({ resting }) => resting ?? []);
      const left = found ? found.giveWay?.(caller) : resting;
      if (!left) {
        return refusal(
          "busy",
          this.settings.isForPrograms
            ? `Cannot open a session as ${total} are open, which is all there may be. Close a session.`
            : `Cannot open a session now as ${total} are running, which is all there may be, or other clients ask for their half. Try again later, or end a session. The user can allow more with --max-sessions-memory.`,
        );
      }
      await left;
    }
    const item = (amount: number, reason: string, by: Eviction): Item => ({
      ...{ caller, amount },
      rest: () => this.#mayRest(entry, life) ? "idle" : "used",
      giveWay: (asking) =>
        life.lost === undefined
          ? this.rest(entry, reason, { asking, by })
          : this.close(life),
    });
    const place = item(
      1,
      `${total} other sessions were used after it (--max-sessions-memory)`,
      "room",
    );
    const memory = item(
      this.settings.sessionMiB ?? 0,
      `all sessions took more than ${sessionMemory.total} MiB (--max-sessions-memory)`,
      "memory",
    );
    this.#lives.set(life, { place, memory });
    sessions.hold(place);
    sessionMemory.hold(memory);
  }

  #mayRest(entry: KeptSession, life: SessionLife): boolean {
    if (life.lost !== undefined) return true;
    const { triedAt = -Infinity } = entry;
    return !this.settings.isForPrograms && entry.life === life &&
      isAwake(entry) && entry.calls === 0 &&
      performance.now() - triedAt > AGAIN_MS;
  }

  /** Whether a session must rest, as it is owed to another caller. */
  owes({ life }: KeptSession): boolean {
    const { place } = life && this.#lives.get(life) || {};
    return place !== undefined && this.shares.sessions.owes(place);
  }

  /** Notes the use of a session, which gives way to another caller as it rests. */
  noteUse(entry: KeptSession): void {
    const { place, memory } = entry.life && this.#lives.get(entry.life) || {};
    if (!place || !memory) return;
    this.shares.sessions.touch(place);
    this.shares.sessionMemory.touch(memory);
    const isOwed = place.rest?.() === "idle" &&
      this.shares.sessions.isOwed(place);
    if (isOwed) void place.giveWay?.();
  }

  /** Ends sessions while all take more memory than they may, or nearly as much. */
  keepWithinMemory(): void {
    const { sessionMemory } = this.shares;
    const { sessionMiB = 0 } = this.settings;
    for (const [life, { memory }] of this.#lives) {
      sessionMemory.measure(memory, sessionMiB + life.memoryMiB);
    }
    this.#putToSleep();
    for (let one; (one = sessionMemory.excess());) {
      // Its memory is about to be free.
      sessionMemory.drop(one);
      void this.#giveWay(one);
    }
  }

  /**
   * While memory is short, sessions whose state is in the store give theirs back: a
   * call that needs it then does not wait for that.
   */
  #putToSleep(): void {
    const { used, total } = this.shares.sessionMemory.status;
    let excess = used - SHORT * total;
    const { sleepMs } = this.settings.storing ?? STORING_TIMES;
    const since = Date.now() - sleepMs;
    for (const entry of this.sessions()) {
      if (excess <= 0) return;
      const { life, calls, used, resting } = entry;
      const { memory } = life && this.#lives.get(life) || {};
      if (!life?.isStored || !memory || calls > 0 || resting) continue;
      if (used > since) return;
      excess -= memory.amount;
      void this.rest(entry, "memory is short", { by: "memory" });
    }
  }

  /** Counts the memory of a session again if it stays, as it could not be stored. */
  async #giveWay(memory: Item): Promise<void> {
    await memory.giveWay?.();
    const stays = this.#lives.values().some((one) => one.memory === memory);
    if (stays) this.shares.sessionMemory.hold(memory);
  }

  /**
   * Saves a session and ends its interpreter. It stays if the store cannot take it,
   * unless it must end; its state is lost for this reason if it cannot be saved.
   *
   * @param options.by Why it has to; an unused session may stay.
   * @param options.asking The owner for which it makes room, whose turn it takes.
   */
  rest(
    entry: KeptSession,
    reason: string,
    { by, asking = entry.owner }: { by: Eviction; asking?: string | undefined },
  ): Promise<unknown> {
    return entry.resting ??
      holdCalls(entry, this.#restNow(entry, { reason, asking, by }));
  }

  async #restNow(
    entry: KeptSession,
    { reason, asking, by }: { reason: string; asking: string; by: Eviction },
  ): Promise<void> {
    const { life, failedRests = 0 } = entry;
    if (!life || life.lost !== undefined) return;
    const store = () => this.storing.store(entry, life, asking);
    const mustEnd = by === "shutdown" || !this.saved;
    if (life.isStored && !await this.saved?.has(entry.handle, entry.owner)) {
      life.storedChanges = undefined;
    }
    let ending = life.isStored ? "saved" : await store();
    if (ending === "failed" && !mustEnd) ending = await store();
    const tries = by === "idle"
      ? MOST_FAILED_RESTS
      : by === "moved"
      ? Infinity
      : 0;
    // A session that never rests must not keep its place for ever.
    const mayStay = ending === "failed" &&
      (!entry.isBusy || by === "moved" || failedRests < MOST_FAILED_RESTS);
    const stays = mayStay || ending === "refused" && failedRests < tries;
    if (stays && !mustEnd && life.lost === undefined) {
      if (ending === "failed") entry.triedAt = performance.now();
      const counts = ending === "failed" ? entry.isBusy : by === "idle";
      if (counts) entry.failedRests = failedRests + 1;
      this.#note("not saved", entry);
      return;
    }
    // The server that has it knows its state.
    if (ending === "saved" || ending === "moved") entry.life = undefined;
    else life.lose(reason, this.saved ? "not-saved" : "no-store");
    this.figures.evicted(by);
    if (ending !== "moved") {
      const fate = ending === "saved" ? "saved" : "lost";
      this.#note(fate, entry, life.lost ?? reason);
    }
    await this.close(life);
    if (ending === "saved") await this.letGo(entry);
  }

  /** Has another server have a session that is stored, or whose interpreter has ended. */
  async letGo(entry: KeptSession): Promise<void> {
    const { handle, owner, life } = entry;
    if (life && life.lost === undefined) return;
    if (entry.stored) entry.life = undefined;
    await this.saved?.free(handle, owner);
  }

  #note(event: Fate, entry: KeptSession, reason?: string): void {
    this.storing.note(event, entry, reason);
  }

  /** Ends an interpreter. */
  async close(life: SessionLife): Promise<void> {
    await life.close();
    this.#forget(life);
  }

  #forget(life: SessionLife): void {
    const { place, memory } = this.#lives.get(life) ?? {};
    if (place) this.shares.sessions.drop(place);
    if (memory) this.shares.sessionMemory.drop(memory);
    if (this.#lives.delete(life) && life.cause) this.figures.lost(life.cause);
  }
}
