import type { Room } from "../../protocol/keeper_messages.ts";
import type { Log } from "../../protocol/log_lines.ts";
import type { RunRequest } from "../../protocol/run_messages.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";
import type { SessionsStatus } from "../../protocol/server_status.ts";
import { Share } from "../../shares.ts";
import { messageOf } from "../../errors.ts";
import { CANCELLED } from "../../results/to_result.ts";
import { explainMissing } from "../pool/lacking.ts";
import { LOST, refusal, type RunOptions } from "../pool/pool.ts";
import type { Pools } from "../pool/script_pools.ts";
import {
  holdCalls,
  isAwake,
  isChange,
  type KeptSession,
  openFor,
  type Owner,
  type SessionCall,
  type SessionInfo,
  type SessionLife,
  toInfo,
} from "./kept_session.ts";
import { SessionFigures } from "./session_figures.ts";
import { type SessionStore, toKey } from "./saved_sessions.ts";
import {
  describeAnew,
  describeOlder,
  describeState,
  describeUnknown,
  MOVED,
  refuseElsewhere,
  sessionsAreOf,
  statusOfUnknown,
} from "./session_words.ts";
import { SessionLives, type SessionShares } from "./session_lives.ts";
import type { StoringTimes } from "./storing.ts";

/** Sessions without an interpreter that are still known. */
const MOST_AT_REST = 1000;

export type SessionsSettings =
  & Pick<
    ServerSettings,
    | "stateful"
    | "sessionIdleSeconds"
    | "maxSessions"
    | "maxSessionsMiB"
    | "lostSessions"
  >
  & Partial<Pick<ServerSettings, "codeMode" | "sessionMiB" | "engine">>
  & {
    /**
     * Whether programs name their sessions, and end them: none goes for another, or
     * as it is not used, and a program hears of a loss by `isLost()`.
     */
    isForPrograms?: boolean;
    storing?: StoringTimes;
  };

/**
 * The sessions of all clients. A session belongs to its owner: a client, by
 * whatever names it in its transport; for others there is no such handle.
 */
export class Sessions {
  /** By handle, the least recently used first. */
  #entries = new Map<string, KeptSession>();
  #lives: SessionLives;
  readonly figures: SessionFigures = new SessionFigures();
  #isClosed = false;
  /** By owner and handle. */
  #loading = new Map<string, {
    found: Promise<KeptSession | RunResult | undefined>;
    /** Of the call that looks for it. */
    signal: AbortSignal | undefined;
  }>();

  /**
   * @param log Has a line for each session that is saved, restored or lost.
   * @param saved Keeps the sessions that are not used; absent without a store.
   */
  constructor(
    private pools: Pools,
    private settings: SessionsSettings,
    log: Pick<Log, "write">,
    private saved?: SessionStore,
    shares: SessionShares = {
      sessions: new Share(settings.maxSessions),
      sessionMemory: new Share(settings.maxSessionsMiB),
    },
  ) {
    const sessions = () => this.#entries.values();
    const lives = [sessions, pools, settings, shares, log, saved] as const;
    this.#lives = new SessionLives(...lives, this.figures);
    if (saved) saved.onWanted = (key) => void this.#letGo(key);
  }

  /**
   * Runs code in the session of a handle; in a new session for `"new"`, in a fresh
   * interpreter for `"none"`. Without a handle, it runs in the owner's default
   * session if there are default sessions; with `"reset"`, from nothing. Code for
   * another engine than the first has a fresh interpreter without a handle, too, and
   * is refused with one.
   */
  async run(
    handle: string | undefined,
    owner: Owner,
    request: RunRequest,
    options: SessionCall = {},
  ): Promise<RunResult> {
    const { stateful, engine: first } = this.settings;
    const { engine = first?.name } = request;
    const isOther = engine !== first?.name;
    const call = callOf(owner, options);
    if (handle === "reset" && stateful && !isOther) {
      await this.end(undefined, owner).catch(() => {
        // There is none, or it has ended by itself.
      });
      return await this.run(undefined, owner, request, options);
    }
    const isAlone = handle === "none" || handle === undefined &&
        (isOther || !stateful);
    if (isAlone || isOther) {
      const { waiter, ...options } = call;
      const found = await this.pools.find(request.code, {
        ...{ ...waiter, engine },
        maybeBare: true,
      });
      if (found.refused) return found.refused;
      return isAlone
        ? explainMissing(await found.pool.run(request, options), found.lacks)
        : refusal("denied", sessionsAreOf(first?.label ?? ""));
    }
    // Nothing would find a default session again.
    const isNew = handle === undefined && owner.connection === undefined;
    return handle === "new" || isNew
      ? await this.#runIn(this.#add(owner), owner, request, call)
      : await this.look(handle, owner, request, call);
  }

  /**
   * Looks into a session, after the calls before; opens the default session if
   * there is none. A lost state is reported as it is to a run.
   */
  async look(
    handle: string | undefined,
    owner: Owner,
    request: RunRequest,
    options: SessionCall = {},
  ): Promise<RunResult> {
    const call = callOf(owner, options);
    const entry = this.#find(handle, owner) ??
      (handle === undefined
        ? this.#maybeDefault(owner)
        : this.settings.isForPrograms
        ? this.#add(owner, { handle })
        : await this.#maybeSaved(handle, owner, call));
    if (entry && "status" in entry) return entry;
    return entry ? await this.#runIn(entry, owner, request, call) : refusal(
      statusOfUnknown(handle),
      describeUnknown(handle, this.settings),
    );
  }

  /**
   * Looks into a session that is in memory, which does not count as a use of it.
   *
   * @returns Undefined if it is not in memory.
   */
  maybeLook(
    handle: string,
    owner: Owner,
    request: RunRequest,
    options: RunOptions = {},
  ): Promise<RunResult | undefined> {
    const entry = this.#find(handle, owner);
    return entry && isAwake(entry)
      ? entry.life.run(request, callOf(owner, options))
      : Promise.resolve(undefined);
  }

  /**
   * Ends a session; the default session if there is no handle.
   *
   * @throws {RangeError} If there is no such session.
   */
  async end(handle: string | undefined, owner: Owner): Promise<SessionInfo> {
    const entry = await this.#known(handle, owner);
    while (entry.resting) await entry.resting;
    if (!this.#isKnown(entry)) {
      throw new RangeError(describeUnknown(handle, this.settings));
    }
    // Another server may have it by now.
    const refused = !entry.life && entry.stored
      ? await this.#lives.restoring.claim(entry)
      : undefined;
    if (refused?.status === "busy") throw new RangeError(refused.error);
    const info = toInfo(entry);
    entry.isEnded = true;
    await holdCalls(entry, this.#endNow(entry));
    return info;
  }

  /**
   * Copies a session with its state; the copy's random numbers are others.
   *
   * @param options.name The copy's handle, if a program has named it.
   * @returns The copy's handle.
   * @throws {RangeError} If there is no such session, or it cannot be copied.
   */
  async fork(
    handle: string | undefined,
    owner: Owner,
    { name, signal }: { name?: string; signal?: AbortSignal } = {},
  ): Promise<string> {
    // At once, if it can be: later calls wait until it is copied.
    const entry = this.#find(handle, owner) ?? await this.#known(handle, owner);
    const { created, runs } = entry;
    const named = name === undefined ? {} : { handle: name };
    const copy = this.#add(owner, { created, runs, ...named });
    const open = () => {
      copy.life = this.#lives.start(
        copy,
        () =>
          this.#lives.restoring.copy(
            entry,
            callOf(owner, signal ? { signal } : {}),
          ),
      );
      copy.life.memoryMiB = entry.life?.memoryMiB ?? 0;
      return copy.life.opened;
    };
    const opened = await this.#use(entry, () => {
      const copying = this.#use(copy, open);
      const over = copying.catch(() => {})
        .finally(() => entry.copying = undefined);
      entry.copying = over;
      return copying;
    });
    if (opened?.session) {
      // A copy lacks the changes that its original has lost.
      copy.resumed = entry.resumed;
      // Another server may have its first call.
      await this.saved?.beginRun(copy.handle, copy.owner)();
      return copy.handle;
    }
    this.#remove(copy);
    if (!opened) throw new RangeError(describeUnknown(handle, this.settings));
    const { refused } = opened;
    const reason = refused.status === "success" ? "" : refused.error;
    const which = name === undefined
      ? `session ${entry.handle}`
      : "the session";
    throw new RangeError(`Cannot copy ${which}: ${reason}`);
  }

  /**
   * A session, also one that an earlier server has saved; undefined if there is none.
   *
   * @throws {RangeError} If another server has it, or the store cannot be reached.
   */
  async info(
    handle: string,
    owner: Owner,
  ): Promise<SessionInfo | undefined> {
    const entry = this.#find(handle, owner) ??
      await this.#maybeSaved(handle, owner);
    if (!entry) return undefined;
    if ("handle" in entry) return toInfo(entry);
    if (entry.status === "success") return undefined;
    throw new RangeError(entry.error);
  }

  /** Whether a session has an interpreter, or had one. */
  isOpen(handle: string, owner: Owner): boolean {
    return this.#find(handle, owner)?.life !== undefined;
  }

  /** Whether the interpreter of a session has ended, as far as its calls have found. */
  isLost(handle: string, owner: Owner): boolean {
    return this.#find(handle, owner)?.life?.lost !== undefined;
  }

  /** The sessions of an owner, the last used one first. */
  list(owner: Owner): SessionInfo[] {
    return [...this.#entries.values()].reverse()
      .filter((entry) => entry.owner === owner.name).map(toInfo);
  }

  /** The room of the store, as of the last save. */
  get storeRoom(): Room {
    return this.saved?.room ?? { bytes: 0, totalBytes: 0 };
  }

  /** Figures of all sessions that are known here. */
  get status(): SessionsStatus {
    const entries = [...this.#entries.values()];
    const awake = entries.filter(isAwake);
    return {
      awake: awake.length,
      saved: entries.filter(({ life, stored }) => !life && stored).length,
      lost: entries.filter(({ life }) => life?.lost !== undefined).length,
      memoryMiB: awake.reduce((sum, { life }) => sum + life.memoryMiB, 0),
    };
  }

  /**
   * Ends all interpreters; with a store, a later server can go on with them. A
   * server that is killed meanwhile leaves the last used sessions of each owner
   * whole, rather than parts of all.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    const entries = [...this.#entries.values()].reverse();
    for (const { idle, storing, life } of entries) {
      clearTimeout(idle);
      clearTimeout(storing?.timer);
      life?.stop();
    }
    const reason = "its server has ended";
    const rest = (entry: KeptSession) =>
      this.#lives.rest(entry, reason, { by: "shutdown" });
    await Promise.all(entries.map(rest));
    await this.saved?.close();
    await this.#lives.storing.noted;
    this.#entries.clear();
  }

  #find(handle: string | undefined, owner: Owner): KeptSession | undefined {
    const entry = handle === undefined
      ? this.#entries.values()
        .find(({ defaultOf }) =>
          defaultOf !== undefined && defaultOf === owner.connection
        )
      : this.#entries.get(handle);
    return entry?.owner === owner.name ? entry : undefined;
  }

  /** A new default session; undefined if nothing would find it again. */
  #maybeDefault(owner: Owner): KeptSession | undefined {
    const { connection } = owner;
    if (connection === undefined) return undefined;
    return this.#add(owner, { defaultOf: connection });
  }

  async #known(
    handle: string | undefined,
    owner: Owner,
  ): Promise<KeptSession> {
    const entry = this.#find(handle, owner) ??
      await this.#maybeSaved(handle, owner);
    if (entry && "handle" in entry) return entry;
    const isRefused = entry && entry.status !== "success";
    throw new RangeError(
      isRefused ? entry.error : describeUnknown(handle, this.settings),
    );
  }

  /**
   * A session that another server has saved; the refusal of a call for which it, or
   * the packages, are not there in time. Calls that wait for it go on in order.
   */
  async #maybeSaved(
    handle: string | undefined,
    owner: Owner,
    { waiter, signal }: SessionCall = {},
  ): Promise<KeptSession | RunResult | undefined> {
    if (handle === undefined || !this.saved) return undefined;
    // Without packages, there is no environment that it could be of.
    const { refused } = await this.pools.find("", waiter);
    if (refused) return refused;
    const key = JSON.stringify([owner.name, handle]);
    // A call that was given up has not looked for the others.
    for (let other; (other = this.#loading.get(key));) {
      const found = await other.found;
      if (!other.signal?.aborted || signal?.aborted) return found;
    }
    const found = this.#load(handle, owner, signal)
      .finally(() => this.#loading.delete(key));
    this.#loading.set(key, { found, signal });
    return await found;
  }

  async #load(
    handle: string,
    owner: Owner,
    signal: AbortSignal | undefined,
  ): Promise<KeptSession | RunResult | undefined> {
    let claimed;
    try {
      claimed = await this.saved?.claim(handle, owner.name, signal);
    } catch (error) {
      return refusal("busy", `${messageOf(error)} Try again later.`);
    }
    // Another call may have found it meanwhile.
    const found = this.#find(handle, owner);
    if (found || !claimed) return found;
    if ("elsewhere" in claimed) return refuseElsewhere(handle, claimed);
    const { created = 0, used = 0, runs = 0 } = claimed.meta ?? {};
    const stored = { at: used, runs };
    return this.#add(owner, { handle, created, used, runs, stored });
  }

  /** Lets a session that rests go to another server, which has a call for it. */
  async #letGo(key: string): Promise<void> {
    const entry = [...this.#entries.values()]
      .find(({ handle }) => toKey(handle) === key);
    if (!entry || entry.calls > 0 || this.#isClosed) return;
    await this.#lives.rest(entry, MOVED, { by: "moved" });
    if (entry.calls === 0) await this.#lives.letGo(entry);
  }

  #add(owner: Owner, some: Partial<KeptSession> = {}): KeptSession {
    const now = Date.now();
    const entry: KeptSession = {
      // It is the only key to the session.
      handle: crypto.randomUUID(),
      owner: owner.name,
      realm: owner.realm,
      created: now,
      used: now,
      runs: 0,
      calls: 0,
      ...some,
    };
    this.#entries.set(entry.handle, entry);
    if (this.settings.isForPrograms) return entry;
    const atRest = new Share(MOST_AT_REST);
    for (const one of this.#entries.values()) {
      if (one.calls > 0 || one.resting || isAwake(one)) continue;
      const [caller, giveWay] = [one.owner, () => this.#remove(one)];
      atRest.hold({ caller, amount: 1, rest: () => "idle", giveWay });
    }
    for (let one; (one = atRest.excess()); atRest.drop(one)) one.giveWay?.();
    return entry;
  }

  #isKnown(entry: KeptSession): boolean {
    return !entry.isEnded && this.#entries.get(entry.handle) === entry;
  }

  #remove(entry: KeptSession): void {
    clearTimeout(entry.idle);
    clearTimeout(entry.storing?.timer);
    this.#entries.delete(entry.handle);
    void this.saved?.free(entry.handle, entry.owner);
  }

  async #endNow(entry: KeptSession): Promise<void> {
    const { life } = entry;
    if (life && life.lost === undefined) this.figures.evicted("client");
    if (life) await this.#lives.close(life);
    const isGone = await this.saved?.remove(entry.handle, entry.owner);
    this.#remove(entry);
    if (isGone === false) {
      throw new RangeError(
        `Session ${entry.handle} has ended here, but its stored state could not be removed: a call of the session may go on with that. Try again later to end it.`,
      );
    }
  }

  /** Keeps a session from rest while it is used; undefined if it has ended. */
  async #use<T>(
    entry: KeptSession,
    use: () => Promise<T>,
  ): Promise<T | { session?: never; refused: RunResult } | undefined> {
    // Calls that overlap would keep what another caller waits for.
    while (entry.calls > 0 && this.#lives.owes(entry)) {
      await (entry.atRest ??= Promise.withResolvers()).promise;
    }
    entry.calls++;
    entry.failedRests = 0;
    this.#noteUse(entry);
    try {
      for (let held; (held = entry.resting ?? entry.copying);) await held;
      // A session that is restored now would not be saved again.
      if (this.#isClosed) return { refused: { ...CANCELLED, output: [] } };
      return this.#isKnown(entry) ? await use() : undefined;
    } finally {
      entry.calls--;
      this.#noteUse(entry);
      this.#lives.noteUse(entry);
      this.#lives.keepWithinMemory();
      if (!this.#isClosed && this.#isKnown(entry)) {
        this.#lives.storing.later(entry);
      }
      if (entry.calls === 0) {
        entry.atRest?.resolve();
        entry.atRest = undefined;
      }
    }
  }

  async #runIn(
    entry: KeptSession,
    owner: Owner,
    request: RunRequest,
    call: SessionCall,
  ): Promise<RunResult> {
    const { handle, defaultOf } = entry;
    const again = defaultOf === undefined ? handle : undefined;
    call.onSession?.(handle);
    const ran = await this.#use(entry, async () => ({
      refused: await this.#runNow(entry, request, call),
    }));
    // It has ended meanwhile.
    return ran?.refused ?? await this.look(again, owner, request, call);
  }

  async #runNow(
    entry: KeptSession,
    request: RunRequest,
    call: SessionCall,
    { hasGoneBack = false } = {},
  ): Promise<RunResult> {
    const isOpening = entry.life === undefined;
    const life: SessionLife = entry.life ??= this.#lives.start(
      entry,
      (life) =>
        entry.stored
          ? this.#lives.restoring.restore(entry, life, call)
          : openFor(request.code, this.pools, call),
    );
    let belongs: ReturnType<SessionStore["beginRun"]> | undefined;
    const onStart = () => {
      call.onStart?.();
      if (isChange(request)) {
        belongs = this.saved?.beginRun(entry.handle, entry.owner);
      }
    };
    const isTold = life.lost !== undefined;
    const result = isTold
      ? undefined
      : await life.run(request, { ...call, onStart });
    const where = await belongs?.() ?? "here";
    if (where !== "here") return this.#refuseForked(entry, life, where);
    if (life.lost !== undefined) void this.#lives.close(life);
    const isLost = !result || result.status === "session-lost";
    const goesBack = this.#maybeGoBack(entry, life);
    if (isLost && goesBack && !hasGoneBack) {
      return await this.#runNow(entry, request, call, { hasGoneBack: true });
    }
    const isAnew = result !== undefined &&
      this.#hasToldLoss(entry, life, result, call);
    if (isAnew) {
      entry.life = undefined;
      entry.anew = life.lost;
    }
    if (isLost) return await this.#tellLost(entry, life, call.signal);
    if ((await life.opened).session) {
      if (request.look === undefined) entry.runs++;
      if (this.settings.isForPrograms) return result;
      const resumes = goesBack ? entry.resumed : undefined;
      const told = describeState(result, life, { resumes, isAnew });
      // A client sees all of a run's result.
      const whole = request.look === undefined
        ? this.#withNews(entry, told, call)
        : told;
      return this.#withHandle(entry, whole);
    }
    // An interpreter that could not be had, and maybe a session that never ran.
    if (entry.life === life) entry.life = undefined;
    const isNew = entry.runs === 0 && !entry.stored;
    if (isNew && entry.calls === 1) this.#remove(entry);
    // The refusal of another call is not its own.
    return isOpening ? result : await this.#runNow(entry, request, call);
  }

  /** Whether a session whose interpreter is gone goes on from its stored state. */
  #maybeGoBack(entry: KeptSession, life: SessionLife): boolean {
    const { stored } = entry;
    const mayGoBack = life.lost !== undefined && entry.life === life &&
      !entry.isEnded && stored && this.#lives.restoring.mayGoBack(entry);
    if (!mayGoBack) return false;
    entry.life = undefined;
    if (!life.isStored) entry.resumed = stored.at;
    return true;
  }

  /** Says once that a session goes on from an older state or from nothing, or could not be saved. */
  #withNews(
    entry: KeptSession,
    result: RunResult,
    { signal }: SessionCall,
  ): RunResult {
    const { resumed, anew, life, stored } = entry;
    if (!life || life.lost !== undefined || signal?.aborted) return result;
    const unsaved = life.unsaved.take(stored !== undefined);
    const goesOn = anew !== undefined
      ? describeAnew(anew)
      : resumed !== undefined
      ? describeOlder(resumed)
      : undefined;
    if (goesOn === undefined && unsaved === undefined) return result;
    entry.resumed = entry.anew = undefined;
    return {
      ...result,
      ...goesOn === undefined ? {} : { resumed: goesOn },
      ...unsaved === undefined ? {} : { unsaved },
    };
  }

  /** Ends a session that another server may have gone on with meanwhile. */
  #refuseForked(
    entry: KeptSession,
    life: SessionLife,
    where: "elsewhere" | "unknown",
  ): RunResult {
    if (where === "unknown") {
      return this.#withHandle(
        entry,
        refusal(
          "busy",
          `The store of session ${entry.handle} cannot be reached, so another server may have the session by now. The code has run, but its result is not the session's unless a later call finds it.`,
        ),
      );
    }
    life.lose(MOVED, "moved");
    void this.#lives.close(life);
    this.#remove(entry);
    return refusal(
      "session-lost",
      `Another server has gone on with session ${entry.handle}, as this server gave no sign of life. The code has run here in vain; the session's next call goes on there.`,
    );
  }

  /**
   * Whether the client has learnt from the result itself that the state is lost: the
   * next call need not tell it again, and starts anew, if it may.
   */
  #hasToldLoss(
    entry: KeptSession,
    life: SessionLife,
    { status }: RunResult,
    { signal }: SessionCall,
  ): boolean {
    const mayStart = !this.settings.isForPrograms && !this.#isRefused(entry);
    const isTold = status !== "success" && status !== "session-lost";
    return mayStart && isTold && life.lost !== undefined &&
      entry.life === life && !signal?.aborted;
  }

  /** Whether calls of a session whose state is lost are refused for good. */
  #isRefused({ defaultOf }: KeptSession): boolean {
    return this.settings.lostSessions === "refuse" && defaultOf === undefined;
  }

  /** Says once that the state is lost; the next call starts anew, if it may. */
  async #tellLost(
    entry: KeptSession,
    life: SessionLife,
    signal: AbortSignal | undefined,
  ): Promise<RunResult> {
    if (this.settings.isForPrograms) return refusal("session-lost", LOST);
    const { handle } = entry;
    const isRefused = this.#isRefused(entry);
    // A client that has given up the call does not learn of it.
    if (entry.life === life && !signal?.aborted) {
      entry.life = undefined;
      if (entry.stored) await this.#lives.restoring.forgetStored(entry);
      if (isRefused) this.#remove(entry);
    }
    const next = isRefused
      ? 'Open another session with session "new".'
      : "The next call of this session starts from nothing.";
    return this.#withHandle(
      entry,
      refusal(
        "session-lost",
        `The state of session ${handle} is gone, its variables, imports and files: ${life.lost}. The code was not run. ${next}`,
      ),
    );
  }

  /** A client that need not know of handles sees none. */
  #withHandle(entry: KeptSession, result: RunResult): RunResult {
    const isShown = this.#isKnown(entry) && entry.defaultOf === undefined;
    return isShown ? { ...result, session: entry.handle } : result;
  }

  #noteUse(entry: KeptSession): void {
    if (!this.#isKnown(entry)) return;
    this.#entries.delete(entry.handle);
    this.#entries.set(entry.handle, entry);
    entry.used = Date.now();
    clearTimeout(entry.idle);
    const mayRest = entry.calls === 0 && !this.settings.isForPrograms;
    if (mayRest) this.#restLater(entry);
  }

  #restLater(entry: KeptSession): void {
    const { sessionIdleSeconds } = this.settings;
    const reason =
      `it was not used for ${sessionIdleSeconds} s (--session-idle)`;
    entry.idle = setTimeout(async () => {
      await this.#lives.rest(entry, reason, { by: "idle" });
      // It could not be saved.
      if (isAwake(entry) && entry.calls === 0) this.#restLater(entry);
    }, sessionIdleSeconds * 1000);
    Deno.unrefTimer(entry.idle);
  }
}

/** A call with the names by which its owner has its turns. */
function callOf(
  { name, connection, realm }: Owner,
  { waiter, ...options }: SessionCall,
): SessionCall {
  const client = [name, connection ?? ""];
  return { ...options, client, realm, waiter: { ...waiter, client } };
}
