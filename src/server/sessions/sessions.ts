import type { RunRequest } from "../../protocol/run_messages.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";
import { head } from "../../results/cut.ts";
import { refusal } from "../pool/installs.ts";
import type { RunOptions } from "../pool/pool.ts";
import type { ScriptPools } from "../pool/script_pools.ts";
import { openCopy, openFor, openSaved } from "./open_session.ts";
import type { SavedSessions } from "./saved_sessions.ts";
import {
  type OpenedSession,
  type SessionCall,
  SessionLife,
} from "./session_life.ts";

/** Sessions without an interpreter that are still known. */
const MOST_AT_REST = 1000;

/** A session, as its client sees it. */
export interface SessionInfo {
  /** Its handle. */
  session: string;
  /** Times in ISO 8601. */
  created: string;
  used: string;
  runs: number;
  memoryMiB: number;
  state: "ready" | "running" | "saved" | "lost";
  /** Why it could not be saved when that was tried. */
  unsaved?: string[];
}

export type SessionsSettings = Pick<
  ServerSettings,
  | "stateful"
  | "sessionIdleSeconds"
  | "maxSessions"
  | "maxSessionsMiB"
  | "lostSessions"
>;

interface Entry {
  handle: string;
  owner: string;
  /** Whether calls without a handle run in it. */
  isDefault: boolean;
  created: number;
  used: number;
  runs: number;
  /** Calls that run, or wait for their turn. */
  calls: number;
  /** Undefined before a first run, and while the state is in the store alone. */
  life?: SessionLife | undefined;
  isSaved?: boolean;
  unsaved?: string[];
  /** Its interpreter is being saved or ended: calls wait. */
  resting?: Promise<void> | undefined;
  idle?: ReturnType<typeof setTimeout>;
}

/**
 * The sessions of all clients. A session belongs to its owner: a client, by
 * whatever names it in its transport; for others there is no such handle.
 */
export class Sessions {
  /** By handle, the least recently used first. */
  #entries = new Map<string, Entry>();
  /** Interpreters that are there, or about to be. */
  #lives = new Set<SessionLife>();

  /** @param saved Keeps the sessions that are not used; absent without a store. */
  constructor(
    private pools: Pick<ScriptPools, "find">,
    private settings: SessionsSettings,
    private saved?: SavedSessions,
  ) {}

  /**
   * Runs code in the session of a handle; in a new session for `"new"`, in a fresh
   * interpreter for `"none"`. Without a handle, it runs in the owner's default
   * session if there are default sessions.
   */
  async run(
    handle: string | undefined,
    owner: string,
    request: RunRequest,
    call: SessionCall = {},
  ): Promise<RunResult> {
    const { stateful } = this.settings;
    if (handle === "none" || handle === undefined && !stateful) {
      const { waiter, ...options } = call;
      const pool = await this.pools.find(request.code, waiter);
      return "run" in pool ? await pool.run(request, options) : pool;
    }
    return handle === "new"
      ? await this.#runIn(this.#add(owner), request, call)
      : await this.look(handle, owner, request, call);
  }

  /**
   * Looks into a session, after the calls before; opens the default session if
   * there is none. A lost state is told as to a run.
   */
  async look(
    handle: string | undefined,
    owner: string,
    request: RunRequest,
    options: RunOptions = {},
  ): Promise<RunResult> {
    const entry = this.#find(handle, owner) ??
      (handle === undefined
        ? this.#add(owner, { isDefault: true })
        : await this.#maybeSaved(handle, owner));
    return entry
      ? await this.#runIn(entry, request, options)
      : refusal("invalid-arguments", describeUnknown(handle));
  }

  /**
   * Looks into a session that is in memory, which does not count as a use of it.
   *
   * @returns Undefined if it is not in memory.
   */
  maybeLook(
    handle: string,
    owner: string,
    request: RunRequest,
    options: RunOptions = {},
  ): Promise<RunResult | undefined> {
    const entry = this.#find(handle, owner);
    return entry && isAwake(entry)
      ? entry.life.run(request, options)
      : Promise.resolve(undefined);
  }

  /**
   * Ends a session; the default session if there is no handle.
   *
   * @throws {RangeError} If there is no such session.
   */
  async end(handle: string | undefined, owner: string): Promise<SessionInfo> {
    const entry = await this.#known(handle, owner);
    const info = toInfo(entry);
    this.#remove(entry);
    await entry.resting;
    if (entry.life) await this.#close(entry.life);
    await this.saved?.remove(entry.handle);
    return info;
  }

  /**
   * Copies a session with its state; the copy's random numbers are others.
   *
   * @returns The copy's handle.
   * @throws {RangeError} If there is no such session, or it cannot be copied.
   */
  async fork(handle: string | undefined, owner: string): Promise<string> {
    const entry = await this.#known(handle, owner);
    const { created, used, runs } = entry;
    const copy = this.#add(owner, { created, used, runs });
    entry.calls++;
    try {
      while (entry.resting) await entry.resting;
      copy.life = this.#start(() => this.#copy(entry));
      const opened = await copy.life.opened;
      if ("pool" in opened) return copy.handle;
      throw new RangeError(opened.status === "success" ? "" : opened.error);
    } catch (error) {
      this.#remove(copy);
      if (!(error instanceof RangeError)) throw error;
      const reason = `Cannot copy session ${entry.handle}: ${error.message}`;
      throw new RangeError(reason);
    } finally {
      entry.calls--;
      this.#noteUse(entry);
      this.#noteUse(copy);
    }
  }

  /** A session, also one that an earlier server has saved; undefined if there is none. */
  async info(
    handle: string,
    owner: string,
  ): Promise<SessionInfo | undefined> {
    const entry = this.#find(handle, owner) ??
      await this.#maybeSaved(handle, owner);
    return entry && toInfo(entry);
  }

  /** The sessions of an owner, the last used one first. */
  list(owner: string): SessionInfo[] {
    return [...this.#entries.values()].reverse()
      .filter((entry) => entry.owner === owner).map(toInfo);
  }

  /** Ends all interpreters; with a store, a later server can go on with them. */
  async close(): Promise<void> {
    const entries = [...this.#entries.values()];
    for (const entry of entries) {
      clearTimeout(entry.idle);
      entry.life?.stop();
    }
    await Promise.all(
      entries.map((entry) => this.#rest(entry, "its server has ended")),
    );
    this.#entries.clear();
  }

  #find(handle: string | undefined, owner: string): Entry | undefined {
    const entry = handle === undefined
      ? this.#entries.values()
        .find((one) => one.isDefault && one.owner === owner)
      : this.#entries.get(handle);
    return entry?.owner === owner ? entry : undefined;
  }

  async #known(handle: string | undefined, owner: string): Promise<Entry> {
    const entry = this.#find(handle, owner) ??
      await this.#maybeSaved(handle, owner);
    if (entry) return entry;
    throw new RangeError(describeUnknown(handle));
  }

  /** A session that an earlier server has saved. */
  async #maybeSaved(
    handle: string | undefined,
    owner: string,
  ): Promise<Entry | undefined> {
    if (handle === undefined) return undefined;
    const stored = await this.saved?.load(handle, owner);
    if (!stored) return undefined;
    const { created, used, runs } = stored.meta;
    // Another call may have found it meanwhile.
    return this.#find(handle, owner) ??
      this.#add(owner, { handle, created, used, runs, isSaved: true });
  }

  #add(owner: string, some: Partial<Entry> = {}): Entry {
    const now = Date.now();
    const entry: Entry = {
      // It is the only key to the session.
      ...{ handle: crypto.randomUUID(), owner, isDefault: false },
      ...{ created: now, used: now, runs: 0, calls: 0 },
      ...some,
    };
    this.#entries.set(entry.handle, entry);
    const atRest = [...this.#entries.values()]
      .filter((one) => one.calls === 0 && !one.resting && !isAwake(one));
    for (const one of atRest.slice(0, -MOST_AT_REST)) this.#remove(one);
    return entry;
  }

  #remove(entry: Entry): void {
    clearTimeout(entry.idle);
    this.#entries.delete(entry.handle);
  }

  async #runIn(
    entry: Entry,
    request: RunRequest,
    call: SessionCall,
  ): Promise<RunResult> {
    entry.calls++;
    this.#noteUse(entry);
    try {
      while (entry.resting) await entry.resting;
      const life = entry.life ??= this.#start(() =>
        entry.isSaved
          ? this.#restore(entry)
          : openFor(request.code, this.pools, call)
      );
      const isTold = life.lost !== undefined;
      const result = isTold ? undefined : await life.run(request, call);
      if (life.lost !== undefined) void this.#close(life);
      if (!result || result.status === "session-lost") {
        return this.#tellLost(entry, life);
      }
      if (!("pool" in await life.opened)) this.#forget(entry, life);
      else if (request.look === undefined) entry.runs++;
      return this.#withHandle(entry, result);
    } finally {
      entry.calls--;
      this.#noteUse(entry);
      this.#keepWithinMemory();
    }
  }

  /** Starts an interpreter as soon as there is room for it. */
  #start(open: () => SessionLife["opened"]): SessionLife {
    const life: SessionLife = new SessionLife(this.pools, async (life) => {
      let opened: OpenedSession | RunResult | undefined;
      try {
        opened = await this.#makeRoom(life) ?? await open();
        return opened;
      } finally {
        if (!opened || !("pool" in opened)) this.#lives.delete(life);
      }
    });
    return life;
  }

  async #restore(entry: Entry): Promise<OpenedSession | RunResult> {
    const stored = await this.saved?.load(entry.handle, entry.owner);
    const opened = stored
      ? await openSaved(stored, this.pools)
      : refusal("session-lost", "its file is not there any more, or damaged");
    if (!("pool" in opened) && opened.status === "busy") return opened;
    // Else a later server would go on with an older state.
    await this.saved?.remove(entry.handle);
    entry.isSaved = false;
    if ("pool" in opened || opened.status === "success") return opened;
    return refusal("session-lost", `it cannot be restored: ${opened.error}`);
  }

  async #copy(entry: Entry): Promise<OpenedSession | RunResult> {
    const opened = isAwake(entry) ? await entry.life.opened : undefined;
    if (opened && "pool" in opened) return await openCopy(opened);
    const stored = entry.isSaved
      ? await this.saved?.load(entry.handle, entry.owner)
      : undefined;
    if (stored) return await openSaved(stored, this.pools, true);
    throw new RangeError("it has no state, as nothing ran in it.");
  }

  /** Makes room for another interpreter; or says that there is none. */
  async #makeRoom(life: SessionLife): Promise<RunResult | undefined> {
    const { maxSessions } = this.settings;
    const reason =
      `${maxSessions} other sessions were used after it (--max-sessions)`;
    while (this.#lives.size >= maxSessions) {
      const [resting] = [...this.#entries.values()]
        .flatMap(({ resting }) => resting ?? []);
      const rested = this.#restOldest(reason) ?? resting;
      if (!rested) {
        return refusal(
          "busy",
          `Cannot open a session now as ${maxSessions} are running, which is all there may be. Try again later, or end a session. The user can allow more with --max-sessions.`,
        );
      }
      await rested;
    }
    this.#lives.add(life);
  }

  #keepWithinMemory(): void {
    const { maxSessionsMiB } = this.settings;
    const takenMiB = () =>
      [...this.#entries.values()].filter(isAwake)
        .reduce((sum, { life }) => sum + life.memoryMiB, 0);
    const reason =
      `all sessions took more than ${maxSessionsMiB} MiB (--max-sessions-memory)`;
    while (takenMiB() > maxSessionsMiB && this.#restOldest(reason));
  }

  /** Rests the session that was unused for longest; undefined if all are used. */
  #restOldest(reason: string): Promise<void> | undefined {
    const entry = this.#entries.values()
      .find((entry) => entry.calls === 0 && isAwake(entry));
    return entry && this.#rest(entry, reason);
  }

  /**
   * Saves a session and ends its interpreter. Its state is lost for this reason if
   * it cannot be saved; or it stays as it is if it may stay.
   */
  #rest(entry: Entry, reason: string, mayStay = false): Promise<void> {
    return entry.resting ??= this.#restNow(entry, reason, mayStay)
      .finally(() => entry.resting = undefined);
  }

  async #restNow(
    entry: Entry,
    reason: string,
    mayStay: boolean,
  ): Promise<void> {
    const { life } = entry;
    if (!life || life.lost !== undefined) return;
    if (await this.#maybeSave(entry, life)) {
      entry.life = undefined;
      entry.isSaved = true;
    } else if (this.saved && mayStay) return;
    else life.lost ??= reason;
    await this.#close(life);
  }

  /** Whether it is saved. */
  async #maybeSave(entry: Entry, life: SessionLife): Promise<boolean> {
    const opened = await life.opened;
    const pool = await this.pools.find("");
    if (!this.saved || !("pool" in opened)) return false;
    delete entry.unsaved;
    if (pool !== opened.pool) {
      entry.unsaved = ["a call had packages installed for it"];
      return false;
    }
    return await this.saved.save(entry.handle, entry, async (take) => {
      const outcome = await opened.session.save(take);
      if ("reasons" in outcome) entry.unsaved = outcome.reasons;
      return "bytes" in outcome;
    });
  }

  async #close(life: SessionLife): Promise<void> {
    await life.close();
    this.#lives.delete(life);
  }

  /** Says once that the state is lost; the next call starts anew, if it may. */
  #tellLost(entry: Entry, life: SessionLife): RunResult {
    const { handle, isDefault } = entry;
    const isRefused = this.settings.lostSessions === "refuse" && !isDefault;
    if (entry.life === life) {
      entry.life = undefined;
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
  #withHandle(entry: Entry, result: RunResult): RunResult {
    const isKnown = this.#entries.has(entry.handle) && !entry.isDefault;
    return isKnown ? { ...result, session: entry.handle } : result;
  }

  /** Forgets an interpreter that could not be had, and a session that never ran. */
  #forget(entry: Entry, life: SessionLife): void {
    if (entry.life === life) entry.life = undefined;
    if (entry.runs === 0) this.#remove(entry);
  }

  #noteUse(entry: Entry): void {
    if (!this.#entries.delete(entry.handle)) return;
    this.#entries.set(entry.handle, entry);
    entry.used = Date.now();
    clearTimeout(entry.idle);
    if (entry.calls > 0) return;
    const { sessionIdleSeconds } = this.settings;
    const reason =
      `it was not used for ${sessionIdleSeconds} s (--session-idle)`;
    entry.idle = setTimeout(
      () => void this.#rest(entry, reason, true),
      sessionIdleSeconds * 1000,
    );
    Deno.unrefTimer(entry.idle);
  }
}

/** Whether a session has an interpreter that can run. */
function isAwake<E extends Pick<Entry, "life" | "resting">>(
  entry: E,
): entry is E & { life: SessionLife } {
  return entry.life !== undefined && entry.life.lost === undefined &&
    !entry.resting;
}

function toInfo(entry: Entry): SessionInfo {
  const { handle: session, runs, life, calls, unsaved } = entry;
  const isLost = life?.lost !== undefined;
  const isSaved = !life && entry.isSaved === true;
  return {
    session,
    created: new Date(entry.created).toISOString(),
    used: new Date(entry.used).toISOString(),
    runs,
    memoryMiB: isLost ? 0 : life?.memoryMiB ?? 0,
    state: isLost
      ? "lost"
      : isSaved
      ? "saved"
      : calls > 0
      ? "running"
      : "ready",
    ...(unsaved ? { unsaved } : {}),
  };
}

function describeUnknown(handle: string | undefined): string {
  return handle === undefined
    ? "There is no default session: name a session."
    : `There is no session "${
      head(handle, 100)
    }": it may have ended, or be of another client. list_sessions shows those that there are; session "new" opens another.`;
}
