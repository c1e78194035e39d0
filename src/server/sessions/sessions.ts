import type { RunRequest } from "../../protocol/run_messages.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";
import { head } from "../../results/cut.ts";
import { refusal } from "../pool/installs.ts";
import type { ScriptPools } from "../pool/script_pools.ts";
import { type SessionCall, SessionLife } from "./session_life.ts";

/** Sessions without an interpreter that are still known. */
const MOST_ENDED = 1000;

/** A session, as its client sees it. */
export interface SessionInfo {
  /** Its handle. */
  session: string;
  /** Times in ISO 8601. */
  created: string;
  used: string;
  runs: number;
  memoryMiB: number;
  state: "ready" | "running" | "lost";
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
  life?: SessionLife | undefined;
  idle?: ReturnType<typeof setTimeout>;
}

/**
 * The sessions of all clients. A session belongs to its owner: a client, by
 * whatever names it in its transport; for others there is no such handle.
 */
export class Sessions {
  /** By handle, the least recently used first. */
  #entries = new Map<string, Entry>();

  constructor(
    private pools: Pick<ScriptPools, "find">,
    private settings: SessionsSettings,
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
    const entry = handle === "new"
      ? this.#add(owner)
      : this.#find(handle, owner) ??
        (handle === undefined ? this.#add(owner, true) : undefined);
    return entry
      ? await this.#runIn(entry, request, call)
      : refusal("invalid-arguments", describeUnknown(handle));
  }

  /**
   * Ends a session; the default session if there is no handle.
   *
   * @throws {RangeError} If there is no such session.
   */
  async end(handle: string | undefined, owner: string): Promise<SessionInfo> {
    const entry = this.#find(handle, owner);
    if (!entry) throw new RangeError(describeUnknown(handle));
    this.#remove(entry);
    await entry.life?.close();
    return toInfo(entry);
  }

  /** The sessions of an owner, the last used one first. */
  list(owner: string): SessionInfo[] {
    return [...this.#entries.values()].reverse()
      .filter((entry) => entry.owner === owner).map(toInfo);
  }

  /** Ends all sessions. */
  async close(): Promise<void> {
    const entries = [...this.#entries.values()];
    for (const entry of entries) this.#remove(entry);
    await Promise.all(entries.map(({ life }) => life?.close()));
  }

  #find(handle: string | undefined, owner: string): Entry | undefined {
    const entry = handle === undefined
      ? this.#entries.values()
        .find((one) => one.isDefault && one.owner === owner)
      : this.#entries.get(handle);
    return entry?.owner === owner ? entry : undefined;
  }

  #add(owner: string, isDefault = false): Entry {
    const now = Date.now();
    const entry: Entry = {
      // It is the only key to the session.
      ...{ handle: crypto.randomUUID(), owner, isDefault },
      ...{ created: now, used: now, runs: 0, calls: 0 },
    };
    this.#entries.set(entry.handle, entry);
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
      const life = entry.life ??= this.#maybeStart(request.code, call);
      if (!life) return this.#withHandle(entry, this.#refuse(entry));
      const result = life.lost === undefined
        ? await life.run(request, call)
        : undefined;
      if (!result || result.status === "session-lost") {
        return this.#tellLost(entry, life);
      }
      if ("pool" in await life.opened) entry.runs++;
      else this.#forgetLife(entry, life);
      return this.#withHandle(entry, result);
    } finally {
      entry.calls--;
      this.#noteUse(entry);
      this.#keepWithinMemory();
    }
  }

  /** Undefined if there is no room for another interpreter. */
  #maybeStart(code: string, call: SessionCall): SessionLife | undefined {
    const { maxSessions } = this.settings;
    while (this.#living().length >= maxSessions) {
      if (
        !this.#dropOldest(
          `${maxSessions} sessions were used after it (--max-sessions)`,
        )
      ) {
        return undefined;
      }
    }
    return new SessionLife(this.pools, this.#open(code, call));
  }

  async #open(code: string, { client, waiter }: SessionCall) {
    // Not by the signal of this call: the calls after it wait, too.
    const pool = await this.pools.find(code, waiter);
    if (!("run" in pool)) return pool;
    const session = await pool.open(client === undefined ? {} : { client });
    return "run" in session ? { pool, session } : session;
  }

  #refuse(entry: Entry): RunResult {
    const { maxSessions } = this.settings;
    this.#forgetLife(entry);
    return refusal(
      "busy",
      `Cannot open a session now as ${maxSessions} are running, which is all there may be. Try again later, or end a session. The user can allow more with --max-sessions.`,
    );
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
  #forgetLife(entry: Entry, life?: SessionLife): void {
    if (entry.life === life) entry.life = undefined;
    if (entry.runs === 0) this.#remove(entry);
  }

  #noteUse(entry: Entry): void {
    if (!this.#entries.has(entry.handle)) return;
    this.#entries.delete(entry.handle);
    this.#entries.set(entry.handle, entry);
    entry.used = Date.now();
    clearTimeout(entry.idle);
    if (entry.calls > 0) return;
    const { sessionIdleSeconds } = this.settings;
    const reason =
      `it was not used for ${sessionIdleSeconds} s (--session-idle)`;
    entry.idle = setTimeout(
      () => this.#drop(entry, reason),
      sessionIdleSeconds * 1000,
    );
    Deno.unrefTimer(entry.idle);
  }

  #living(): Entry[] {
    return [...this.#entries.values()]
      .filter(({ life }) => life && life.lost === undefined);
  }

  #keepWithinMemory(): void {
    const { maxSessionsMiB } = this.settings;
    const takenMiB = () =>
      this.#living().reduce((sum, { life }) => sum + (life?.memoryMiB ?? 0), 0);
    const reason =
      `all sessions took more than ${maxSessionsMiB} MiB (--max-sessions-memory)`;
    while (takenMiB() > maxSessionsMiB && this.#dropOldest(reason));
  }

  /** Ends the interpreter that was unused for longest; whether there is one. */
  #dropOldest(reason: string): boolean {
    const entry = this.#living().find(({ calls }) => calls === 0);
    if (entry) this.#drop(entry, reason);
    return entry !== undefined;
  }

  /** Ends a session's interpreter; its next call is told the reason. */
  #drop({ life }: Entry, reason: string): void {
    if (!life) return;
    life.lost ??= reason;
    void life.close();
    const ended = [...this.#entries.values()]
      .filter(({ life, calls }) => life?.lost !== undefined && calls === 0);
    for (const entry of ended.slice(0, -MOST_ENDED)) this.#remove(entry);
  }
}

function toInfo(entry: Entry): SessionInfo {
  const { handle: session, created, used, runs, life, calls } = entry;
  const isLost = life?.lost !== undefined;
  return {
    session,
    created: new Date(created).toISOString(),
    used: new Date(used).toISOString(),
    runs,
    memoryMiB: isLost ? 0 : life?.memoryMiB ?? 0,
    state: isLost ? "lost" : calls > 0 ? "running" : "ready",
  };
}

function describeUnknown(handle: string | undefined): string {
  return handle === undefined
    ? "There is no session that could end: name a session."
    : `There is no session "${
      head(handle, 100)
    }": it may have ended, or be of another client. list_sessions shows those that there are; session "new" opens another.`;
}
