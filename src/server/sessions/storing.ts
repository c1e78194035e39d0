import { DeadlineError, isOverWithin } from "../../deadline.ts";
import type { Log } from "../../protocol/log_lines.ts";
import { head } from "../../results/cut.ts";
import type { Pools } from "../pool/script_pools.ts";
import { InTurn } from "../pool/turns.ts";
import { isAwake, type KeptSession, type SessionLife } from "./kept_session.ts";
import type { NotSaved, SessionFigures } from "./session_figures.ts";
import { type SaveEnding, type SessionStore, toKey } from "./saved_sessions.ts";

/** Times in milliseconds; tests choose shorter ones. */
export interface StoringTimes {
  /** Rest after which a session is stored. */
  restMs: number;
  /** Time after which a session that never rests so long is stored between two runs. */
  mostMs: number;
  /** Time to store it. */
  saveMs: number;
  /** Time without a use after which a stored session sleeps if memory is short. */
  sleepMs: number;
}

export const STORING_TIMES: StoringTimes = {
  ...{ restMs: 3000, mostMs: 15_000 },
  ...{ saveMs: 60_000, sleepMs: 30_000 },
};
/** Time between two tries to store a session that cannot be saved. */
const LONGEST_MS = 300_000;
/** More than one, as a session may answer late. */
const SAVED_AT_A_TIME = 4;

/** Causes that a later try may not meet. */
const LATER: readonly NotSaved[] = ["busy", "late", "store"];

/** The fates of sessions that the log tells. */
export type Fate = "saved" | "stored" | "restored" | "not saved" | "lost";

/** Stores the states of sessions: while they rest, and when they must. */
export class Storing {
  #saves = new InTurn(SAVED_AT_A_TIME);
  #times: StoringTimes;
  /** Resolves once the log has the fate of each session. */
  noted: Promise<void> = Promise.resolve();

  constructor(
    private pools: Pick<Pools, "environment">,
    private log: Pick<Log, "write">,
    private saved: SessionStore | undefined,
    private more: {
      figures: Pick<SessionFigures, "saved" | "notSaved">;
      times?: StoringTimes | undefined;
      /** Told sessions that another server has, or that have ended. */
      onMoved(entry: KeptSession, life: SessionLife): void;
    },
  ) {
    this.#times = more.times ?? STORING_TIMES;
  }

  /**
   * Has a session that rests stored soon, at once if it was used without a rest for
   * long. A call that comes meanwhile waits until its interpreter is read.
   */
  later(entry: KeptSession): void {
    const { life } = entry;
    clearTimeout(entry.storing?.timer);
    if (!this.saved || !isAwake(entry) || life?.isStored) {
      entry.storing = undefined;
      return;
    }
    const { restMs, mostMs } = this.#times;
    const { since } = entry.storing ?? { since: performance.now() };
    const left = Math.max(0, since + mostMs - performance.now());
    this.#after(entry, Math.min(restMs, left), since);
  }

  /** Stores a session that stays as it is; tries again if that was in vain. */
  #after(entry: KeptSession, ms: number, since: number): void {
    const timer = setTimeout(async () => {
      if (entry.storing?.timer !== timer || !isAwake(entry)) return;
      // The end of its call comes back to it, unless calls follow without a rest.
      const isDue = performance.now() >= since + this.#times.mostMs;
      if (entry.calls > 0 && !isDue) return;
      const { life } = entry;
      // A call that comes meanwhile changes what is not stored from now on.
      entry.storing = { since: performance.now(), timer };
      const ending = await this.store(entry, life, entry.owner);
      if (ending === "moved") return this.more.onMoved(entry, life);
      // A call may have come meanwhile, and have had its own turn.
      if (entry.storing?.timer !== timer) return;
      entry.storing = undefined;
      // A store that fails is there again soon; a state that cannot be saved stays so.
      const again = ending === "failed"
        ? this.#times.mostMs
        : Math.min(Math.max(this.#times.mostMs, 2 * ms), LONGEST_MS);
      const isLeft = isAwake(entry) && !entry.life.isStored;
      if (isLeft) this.#after(entry, again, performance.now());
    }, ms);
    Deno.unrefTimer(timer);
    entry.storing = { since, timer };
  }

  /** @param asking The owner whose turn it takes. */
  async store(
    entry: KeptSession,
    life: SessionLife,
    asking: string,
  ): Promise<SaveEnding> {
    const { session, environment } = await life.opened;
    const { saved } = this;
    if (!saved || !session) return "refused";
    if (environment.id !== this.pools.environment?.id) {
      entry.unsaved = ["a call had packages installed for it"];
      life.unsaved.note(entry.unsaved);
      this.more.figures.notSaved("environment");
      return "refused";
    }
    const ending = await this.#saves.do<SaveEnding>([asking], async () => {
      // Another save may have been before it.
      if (life.isStored) return "saved";
      if (life.lost !== undefined) return "refused";
      return await this.#storeNow(entry, life, session, saved);
    });
    if (session.isLost && ending !== "saved") {
      life.lose("its interpreter has ended", "crashed");
    }
    return ending;
  }

  async #storeNow(
    entry: KeptSession,
    life: SessionLife,
    session: NonNullable<Awaited<SessionLife["opened"]>["session"]>,
    saved: SessionStore,
  ): Promise<SaveEnding> {
    delete entry.unsaved;
    entry.isBusy = false;
    const begun = performance.now();
    const until = begun + this.#times.saveMs;
    const late = `it took more than ${this.#times.saveMs / 1000} s`;
    const state = { at: Date.now(), runs: entry.runs };
    let { changes } = life;
    let cause: NotSaved = "store";
    const ending = await saved.save(
      entry.handle,
      { ...entry, used: state.at },
      async (take) => {
        // It has all runs that were asked for before.
        ({ changes } = life);
        const saving = session.save((piece) => {
          if (performance.now() < until) return take(piece);
          throw new DeadlineError(late);
        }, true);
        // A session that gives no piece must not keep the turns of others.
        const isOver = await isOverWithin(saving, this.#times.saveMs);
        const outcome = isOver
          ? await saving
          : { reasons: [late], cause: "late" as const };
        if ("bytes" in outcome) return true;
        cause = outcome.cause ?? "state";
        entry.unsaved = outcome.reasons;
        entry.isBusy = cause === "busy";
        // A run that is under way is saved after its end.
        const mayRest = entry.isBusy && entry.calls > 0;
        if (!mayRest) life.unsaved.note(outcome.reasons);
        return false;
      },
    );
    const { figures } = this.more;
    if (ending !== "saved") {
      if (ending === "failed") life.unsaved.note(["the store did not take it"]);
      figures.notSaved(ending === "moved" ? "moved" : cause);
      return ending === "refused" && LATER.includes(cause) ? "failed" : ending;
    }
    life.storedChanges = changes;
    life.unsaved.clear();
    entry.stored = state;
    figures.saved((performance.now() - begun) / 1000);
    this.note("stored", entry);
    return ending;
  }

  /** Logs the fate of a session; with a store, it warns of all that is not kept. */
  note(
    event: Fate,
    { handle, unsaved = [] }: KeptSession,
    reason?: string,
  ): void {
    const level = event === "stored"
      ? "debug"
      : event === "saved" || event === "restored" || !this.saved
      ? "info"
      : "warning";
    const reasons = head(unsaved.join("; "), 1000) || undefined;
    const facts = { reason, unsaved: reasons };
    this.noted = this.noted.then(() => {
      const key = toKey(handle);
      this.log.write(level, "session", { event, key, ...facts });
    });
  }
}
