import type { Log } from "../../protocol/log_lines.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import { Latest } from "../../protocol/latest.ts";
import type { BackgroundUse } from "../../protocol/sandbox_messages.ts";
import type { Item } from "../../shares.ts";
import type { Shares } from "../shares.ts";
import { head } from "../../results/cut.ts";
import { refusal } from "../pool/pool.ts";
import { InTurn } from "../pool/turns.ts";
import { PacedWork } from "../one_at_a_time.ts";
import type { Pools } from "../pool/script_pools.ts";
import {
  type Eviction,
  lossByEnd,
  type NotSaved,
  SessionFigures,
} from "./session_figures.ts";
import { type SessionStore, toKey } from "./saved_sessions.ts";
import {
  holdCalls,
  isAwake,
  type KeptSession,
  openIn,
  type Opening,
  SessionLife,
} from "./kept_session.ts";

export type SessionShares = Pick<Shares, "sessions" | "sessionMemory">;

/** Time between two looks at what the tasks of a session take. */
const QUIET_MS = 1000;
/** Characters of the reason for which an interpreter has ended. */
const LONGEST_REASON = 500;
/** More than one, as a session may answer late. */
const SAVED_AT_A_TIME = 2;
/** Times that an unused session stays though it cannot be saved. */
const MOST_FAILED_RESTS = 3;

/**
 * The interpreters of all sessions: at most so many, in so much memory. A session
 * that makes room for another is saved if it can be, or loses its state.
 */
export class SessionLives {
  /** Those that are there, or about to be. */
  #lives = new Map<SessionLife, { place: Item; memory: Item }>();
  #saves = new InTurn(SAVED_AT_A_TIME);
  #rooms = new PacedWork();
  /** Resolves once the log has the fate of each session. */
  noted: Promise<void> = Promise.resolve();

  /** @param sessions Gives all sessions, the least recently used first. */
  constructor(
    private sessions: () => IteratorObject<KeptSession>,
    private pools: Pools,
    private settings: { isForPrograms?: boolean },
    private shares: SessionShares,
    private log: Pick<Log, "write">,
    private saved?: SessionStore,
    private figures: SessionFigures = new SessionFigures(),
  ) {}

  /** Starts an interpreter for a session as soon as there is room for it. */
  start(entry: KeptSession, open: () => Opening): SessionLife {
    return new SessionLife(this.pools, async (life) => {
      let isOpen = false;
      try {
        const refused = await this.#makeRoom(life, entry);
        const opened = refused ? { refused } : await open();
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

  /** Opens a saved session, which stays saved until code has run in it. */
  async restore(entry: KeptSession): Opening {
    const begun = performance.now();
    let opened = await this.#openSaved(entry);
    // A process may end by itself, or for want of memory: the file is still there.
    if (opened?.refused?.status === "crashed") {
      opened = await this.#openSaved(entry);
    }
    if (!opened) {
      entry.isSaved = false;
      return this.#lose(entry, UNREADABLE);
    }
    const { refused } = opened;
    if (!refused) {
      this.#note("restored", entry);
      this.figures.restored((performance.now() - begun) / 1000);
    }
    if (!refused || refused.status === "busy" || refused.status === "success") {
      return opened;
    }
    await this.forgetSaved(entry);
    return this.#lose(entry, `it cannot be restored: ${refused.error}`);
  }

  /** Forgets a saved state: a later server must not go on with an older one. */
  async forgetSaved(entry: KeptSession): Promise<void> {
    entry.isSaved = false;
    await this.saved?.remove(entry.handle, entry.owner);
  }

  #lose(entry: KeptSession, reason: string): { refused: RunResult } {
    this.#note("lost", entry, reason);
    this.figures.lost("unreadable");
    return { refused: refusal("session-lost", reason) };
  }

  /** Undefined if there is no file that can be read. */
  async #openSaved(
    entry: KeptSession,
    fork = false,
  ): Promise<Awaited<Opening> | undefined> {
    const stored = await this.saved?.load(entry.handle, entry.owner);
    if (!stored) return undefined;
    const from = { pieces: stored.pieces, fork };
    const found = await this.pools.find("");
    const { realm } = entry;
    return found.refused ? found : await openIn(found, { from, realm });
  }

  /**
   * Opens a copy of a session, from memory or the store; the refusal of a copy has
   * the reasons.
   */
  async copy(entry: KeptSession): Opening {
    while (entry.resting) await entry.resting;
    const { life } = entry;
    if (life?.lost !== undefined) {
      const reason = `its state is gone: ${life.lost}`;
      return { refused: refusal("session-lost", reason) };
    }
    if (life) return await life.copy(entry.realm);
    if (!entry.isSaved) {
      const reason = "it has no state, as nothing ran in it";
      return { refused: refusal("invalid-arguments", reason) };
    }
    // Its end would remove the file while it is read.
    return await holdCalls(entry, this.#openSaved(entry, true)) ??
      { refused: refusal("session-lost", UNREADABLE) };
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
      0,
      `all sessions took more than ${sessionMemory.total} MiB (--max-sessions-memory)`,
      "memory",
    );
    this.#lives.set(life, { place, memory });
    sessions.hold(place);
    sessionMemory.hold(memory);
  }

  #mayRest(entry: KeptSession, life: SessionLife): boolean {
    if (life.lost !== undefined) return true;
    return !this.settings.isForPrograms && entry.life === life &&
      isAwake(entry) && entry.calls === 0;
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

  /** Ends sessions while all take more memory than they may. */
  keepWithinMemory(): void {
    const { sessionMemory } = this.shares;
    for (const [life, { memory }] of this.#lives) {
      sessionMemory.measure(memory, life.memoryMiB);
    }
    for (let one; (one = sessionMemory.excess());) {
      // Its memory is about to be free.
      sessionMemory.drop(one);
      void one.giveWay?.();
    }
  }

  /**
   * Saves a session and ends its interpreter. Its state is lost for this reason if
   * it cannot be saved; but an unused session may stay a few times.
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
    const isSaved = entry.isSaved === true && !life.hasRun ||
      await this.#maybeSave(entry, life, asking);
    const mayStay = by === "idle" && failedRests < MOST_FAILED_RESTS;
    if (!isSaved && this.saved && mayStay && life.lost === undefined) {
      entry.failedRests = failedRests + 1;
      this.#note("not saved", entry);
      return;
    }
    if (isSaved) {
      entry.life = undefined;
      entry.isSaved = true;
    } else life.lose(reason, this.saved ? "not-saved" : "no-store");
    this.figures.evicted(by);
    this.#note(isSaved ? "saved" : "lost", entry, life.lost ?? reason);
    await this.close(life);
  }

  /** Whether it is saved. */
  async #maybeSave(
    entry: KeptSession,
    life: SessionLife,
    asking: string,
  ): Promise<boolean> {
    const { session, environment } = await life.opened;
    if (!this.saved || !session) return false;
    delete entry.unsaved;
    let cause = "store" as NotSaved;
    const begun = performance.now();
    if (environment.id !== this.pools.environment?.id) {
      entry.unsaved = ["a call had packages installed for it"];
      this.figures.notSaved("environment");
      return false;
    }
    const { saved } = this;
    const isSaved = await this.#saves.do(
      [asking],
      () =>
        saved.save(entry.handle, entry, async (take) => {
          const outcome = await session.save(take, true);
          if ("reasons" in outcome) {
            entry.unsaved = outcome.reasons;
            cause = outcome.cause ?? "state";
          }
          return "bytes" in outcome;
        }),
    );
    if (isSaved) this.figures.saved((performance.now() - begun) / 1000);
    else this.figures.notSaved(cause);
    if (session.isLost && !isSaved) {
      const loss = cause === "late" ? "time" : "crashed";
      life.lose("its interpreter has ended", loss);
    }
    return isSaved;
  }

  /** Logs the fate of a session; with a store, it warns of all that is not kept. */
  #note(
    event: "saved" | "restored" | "not saved" | "lost",
    { handle, unsaved = [] }: KeptSession,
    reason?: string,
  ): void {
    const isKept = event === "saved" || event === "restored";
    const level = isKept || !this.saved ? "info" : "warning";
    const facts = { reason, unsaved: head(unsaved.join("; "), 1000) };
    this.noted = this.noted.then(() => {
      const key = toKey(handle);
      this.log.write(level, "session", { event, key, ...facts });
    });
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

const UNREADABLE = "its file is gone or cannot be read";
