import { sha256 } from "../../disk.ts";
import { messageOf } from "../../errors.ts";
import { fields, isCount } from "../../protocol/fields.ts";
import type { Facts, Room } from "../../protocol/keeper_messages.ts";
import { PIECE_BYTES } from "../../protocol/run_files.ts";
import type { Log } from "../../protocol/log_lines.ts";
import { DamagedError, type Kept, MovedError, UNDER_WAY } from "../keeper.ts";
import type { TakePiece } from "../pool/pool.ts";
import { type Elsewhere, hasRunOn, Leases, type LeaseTimes } from "./leases.ts";

/** A session's name in logs and in the store, which does not tell its handle. */
export function toKey(handle: string): string {
  return sha256(handle).slice(0, 32);
}

/** The facts about a saved session; times are in ms since 1970. */
export interface SessionMeta {
  /** The client that the session belongs to. */
  owner: string;
  created: number;
  used: number;
  runs: number;
  /** The time of the older state from which it went on, while that is not told. */
  resumed?: number | undefined;
}

export interface StoredSession {
  meta: SessionMeta;
  /** The bytes, which are those that were saved; throws if the file has gone since. */
  pieces: AsyncIterable<Uint8Array<ArrayBuffer>>;
}

/** What a store knows of a session that this server has from now on. */
export interface FoundSession {
  /** Undefined if it holds no state that can be restored. */
  meta: SessionMeta | undefined;
  /** Whether code has run on that state since, on a server that is dead. */
  isOlder: boolean;
  /** Why the state cannot be restored here, as a sentence's end. */
  unreadable?: string;
}

/** How the save of a session has ended. */
export type SaveEnding =
  | "saved"
  /** The session has said why. */
  | "refused"
  /** The store could not take it; a later try may find it better. */
  | "failed"
  /** Another server has the session. */
  | "moved";

/** Whether a session is of this server; unknown if the store cannot be reached. */
export type Belongs = "here" | "elsewhere" | "unknown";

/**
 * Sessions on disk, by handle; another owner's is as good as none. A state stays while
 * the session is used. Servers may share them: a session is of the server that has
 * claimed it, or run code in it, until that lets it go.
 */
export interface SessionStore {
  /**
   * Saves a session whole or not at all, in the place of what was saved of it before.
   *
   * @param write Hands on the bytes, in pieces of at most 1 MiB, waiting for each piece
   * to be taken; false or an error if there are not all of them.
   */
  save(
    handle: string,
    meta: SessionMeta,
    write: (take: TakePiece) => Promise<boolean>,
  ): Promise<SaveEnding>;
  /**
   * Has a session for this server; undefined if there is none.
   *
   * @throws {KeeperError} If the store cannot be reached.
   */
  claim(
    handle: string,
    owner: string,
    signal?: AbortSignal,
  ): Promise<FoundSession | Elsewhere | undefined>;
  /** Undefined if nothing can be restored: the log has the reason. */
  load(handle: string, owner: string): Promise<StoredSession | undefined>;
  /**
   * Notes that code runs in a session.
   *
   * @returns Tells whether the session is of this server still, as the code ends: its
   * result is that of a state that no other server has. Asked once.
   */
  beginRun(handle: string, owner: string): () => Promise<Belongs>;
  /**
   * Whether the state that this server has stored or restored last is there still: it
   * may have made room for others. False if the store cannot be reached.
   */
  has(handle: string, owner: string): Promise<boolean>;
  /** Lets other servers have a session. */
  free(handle: string, owner: string): Promise<void>;
  /**
   * Removes a state, and lets the session go.
   *
   * @returns Whether the state is gone.
   */
  remove(handle: string, owner: string): Promise<boolean>;
  /** The store's room as of this server's last save; zero before. */
  readonly room?: Room;
  /** Told handles' keys of sessions for which another server has a call. */
  onWanted: (key: string) => void;
  /** Lets all sessions go. */
  close(): Promise<void>;
}

interface SavedOptions {
  /** Gives the id of the environment, once it is installed. */
  environment(): string | undefined;
  log: Pick<Log, "write">;
  /** This server, for callers of others. */
  name: string;
  times?: LeaseTimes;
}

/**
 * The saved sessions of this server's environment, by handle: values of the space
 * `sessions`, whose bytes are opaque.
 */
export class SavedSessions implements SessionStore {
  onWanted: (key: string) => void = () => {};
  room: Room = { bytes: 0, totalBytes: 0 };
  #leases: Leases;
  /** The revisions of stored states, by key, of sessions that this server has or had. */
  #revisions = new Map<string, string>();
  /** The keys of states that are being stored, by their revisions to come. */
  #drafts = new Map<string, string>();
  /** Notes of runs that are under way, by key. */
  #noting = new Map<string, Promise<boolean | void>>();

  constructor(private kept: Kept, private options: SavedOptions) {
    this.#leases = new Leases(kept, {
      ...options,
      onWanted: (key) => this.onWanted(key),
    });
  }

  async save(
    handle: string,
    { owner, created, used, runs, resumed }: SessionMeta,
    write: (take: TakePiece) => Promise<boolean>,
  ): Promise<SaveEnding> {
    const environment = this.options.environment();
    if (environment === undefined) return "failed";
    const key = toKey(handle);
    const facts = { environment, created, used, runs, resumed };
    const metadata = JSON.stringify(facts);
    try {
      const lease = this.#leases.revision(owner, key);
      // A copy has not run yet.
      if (lease === undefined && !await this.#noteRun(owner, key, "")) {
        return this.#warnMoved(key);
      }
      const value = { used, metadata };
      const draft = await this.kept.begin("sessions", owner, key, value);
      const { revision: draftRevision = "" } = draft;
      this.#drafts.set(draftRevision, key);
      try {
        const isWhole = await write((piece) => draft.append(piece));
        if (!isWhole) {
          await draft.abort();
          return "refused";
        }
        await this.#noting.get(key);
        const revision = this.#leases.revision(owner, key);
        // It was ended or let go meanwhile.
        if (revision === undefined || !this.#drafts.has(draftRevision)) {
          await draft.abort();
          return this.#warnMoved(key, "it was ended or let go meanwhile");
        }
        const { facts, dropped, room } = await draft.commit(revision);
        this.room = room ?? this.room;
        this.#revisions.set(key, facts.revision);
        for (const one of dropped) {
          this.#warn("dropped", one, "all are more than --max-stored-sessions");
        }
        return "saved";
      } catch (error) {
        await draft.abort();
        throw error;
      } finally {
        this.#drafts.delete(draftRevision);
      }
    } catch (error) {
      if (error instanceof MovedError) return this.#warnMoved(key);
      this.#warn("not saved", key, error);
      return "failed";
    }
  }

  async claim(
    handle: string,
    owner: string,
    signal?: AbortSignal,
  ): Promise<FoundSession | Elsewhere | undefined> {
    const key = toKey(handle);
    let damage: string | undefined;
    if (this.#leases.revision(owner, key) === undefined) {
      // A handle that nothing is known of leaves nothing in the store. A server stores
      // a session before it frees its lease, so the lease is read before.
      const lease = await this.kept.info("leases", owner, key);
      const { facts, unreadable } = await this.#stored(owner, key);
      if (!lease && !facts && unreadable === undefined) return undefined;
      damage = unreadable;
    }
    const claimed = await this.#leases.claim(owner, key, signal);
    if ("elsewhere" in claimed) return claimed;
    // Its server may have written it before it let it go.
    const after = await this.#stored(owner, key);
    const { facts } = after;
    this.#revisions.set(key, facts?.revision ?? "");
    const isOlder = hasRunOn(claimed.ranOn, facts?.revision ?? "");
    const { meta, unreadable = damage ?? after.unreadable } = this.#judge(
      facts,
    );
    if (unreadable !== undefined) this.#warn("not loaded", key, unreadable);
    return {
      meta: meta && { owner, ...meta },
      isOlder,
      ...unreadable === undefined ? {} : { unreadable },
    };
  }

  async load(
    handle: string,
    owner: string,
  ): Promise<StoredSession | undefined> {
    const key = toKey(handle);
    try {
      const first = { offset: 0, length: PIECE_BYTES };
      const found = await this.kept.read("sessions", owner, key, first);
      if (!found) return undefined;
      const { facts, bytes } = found;
      const { meta, unreadable } = this.#judge(facts);
      if (!meta) throw new TypeError(unreadable);
      const pieces = this.#pieces({ ...facts, owner }, bytes);
      return { meta: { owner, ...meta }, pieces };
    } catch (error) {
      this.#warn("not loaded", key, error);
    }
  }

  beginRun(handle: string, owner: string): () => Promise<Belongs> {
    const key = toKey(handle);
    // A state that is being stored may have been read before this run.
    const stored = [
      this.#revisions.get(key) ?? "",
      ...this.#draftsOf(key),
    ].join(" ");
    // Each writes the lease in the place of that of the note before.
    const noting = (this.#noting.get(key) ?? Promise.resolve())
      .then(() => this.#noteRun(owner, key, stored))
      .catch((error) => this.#warn("run not noted", key, error))
      .finally(() => {
        if (this.#noting.get(key) === noting) this.#noting.delete(key);
      });
    this.#noting.set(key, noting);
    return async () => {
      const isNoted = await noting;
      // A session of which the store could not take anything is known here alone.
      if (isNoted === undefined && !this.#leases.revision(owner, key)) {
        return this.#revisions.has(key) ? "unknown" : "here";
      }
      try {
        const isOwn = isNoted !== false &&
          await this.#leases.isOwn(owner, key);
        return isOwn ? "here" : "elsewhere";
      } catch (error) {
        this.#warn("not sure", key, error);
        return "unknown";
      }
    };
  }

  async has(handle: string, owner: string): Promise<boolean> {
    const key = toKey(handle);
    const facts = await this.kept.info("sessions", owner, key)
      .catch((error) => this.#warn("not sure", key, error));
    return facts !== undefined && facts.revision === this.#revisions.get(key);
  }

  async free(handle: string, owner: string): Promise<void> {
    const key = toKey(handle);
    const stored = this.#revisions.get(key);
    this.#revisions.delete(key);
    await this.#leases.free(owner, key, stored)
      .catch((error) => this.#warn("not let go", key, error));
  }

  async remove(handle: string, owner: string): Promise<boolean> {
    const key = toKey(handle);
    let isGone = false;
    for (const draft of this.#draftsOf(key)) this.#drafts.delete(draft);
    try {
      const ifLease = this.#leases.revision(owner, key) ?? "";
      isGone = await this.kept.delete("sessions", owner, key, { ifLease }) ||
        await this.kept.info("sessions", owner, key) === undefined;
    } catch (error) {
      this.#warn("not removed", key, error);
    }
    this.#revisions.delete(key);
    await this.free(handle, owner);
    return isGone;
  }

  async close(): Promise<void> {
    await this.#leases.close().catch(() => {
      // Its silence tells the same later.
    });
  }

  /** Whoever has lost a session does not have it again before it claims that. */
  async #noteRun(
    owner: string,
    key: string,
    stored: string,
  ): Promise<boolean> {
    const hasLost = this.#revisions.has(key) &&
      this.#leases.revision(owner, key) === undefined;
    if (hasLost || !await this.#leases.noteRun(owner, key, stored)) {
      return false;
    }
    if (!this.#revisions.has(key)) this.#revisions.set(key, "");
    return true;
  }

  #draftsOf(key: string): string[] {
    return [...this.#drafts].flatMap(([draft, of]) => of === key ? draft : []);
  }

  /** A damaged state is removed by the keeper. */
  async #stored(
    owner: string,
    key: string,
  ): Promise<{ facts?: Facts | undefined; unreadable?: string }> {
    try {
      return { facts: await this.kept.info("sessions", owner, key) };
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error;
      return { unreadable: error.reason };
    }
  }

  /** The facts of a state, or why it cannot be restored here. */
  #judge(
    facts: Facts | undefined,
  ): { meta?: Omit<SessionMeta, "owner">; unreadable?: string } {
    if (!facts) return {};
    const own = this.options.environment();
    try {
      const { environment, ...meta } = parseMetadata(facts.metadata);
      return environment === own ? { meta } : {
        unreadable:
          `it is of the environment ${environment}: other packages, or another version of mcp-run-python or Deno, have stored it, and can go on with it`,
      };
    } catch (error) {
      return { unreadable: messageOf(error) };
    }
  }

  #warnMoved(
    key: string,
    reason = "another server has the session now",
  ): "moved" {
    this.#warn("not saved", key, reason);
    return "moved";
  }

  async *#pieces(
    { owner, key, bytes: size, revision }: Facts & { owner: string },
    first: Uint8Array<ArrayBuffer>,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const read = async (offset: number) => {
      const piece = { offset, length: PIECE_BYTES, revision };
      const found = await this.kept.read("sessions", owner, key, piece);
      return found?.bytes;
    };
    const ahead: Promise<Uint8Array<ArrayBuffer> | undefined>[] = [
      Promise.resolve(first),
    ];
    let offset = first.length;
    for (let left = size; left > 0;) {
      while (ahead.length <= UNDER_WAY && offset < size) {
        const piece = read(offset);
        // Its error is thrown once the pieces before it are taken.
        piece.catch(() => {});
        ahead.push(piece);
        offset += PIECE_BYTES;
      }
      const bytes = await ahead.shift();
      if (bytes?.length !== Math.min(left, PIECE_BYTES)) {
        throw new Error(
          "Cannot read all of a stored session: it was replaced or removed meanwhile",
        );
      }
      yield bytes;
      left -= bytes.length;
    }
  }

  #warn(event: string, key: string, error: unknown): void {
    // The line has the key already, which a whole sentence would name, too.
    const { reason = messageOf(error) } = Object(error);
    // The key is a hash, and opens no session.
    this.options.log.write("warning", "session-store", { event, key, reason });
  }
}

function parseMetadata(
  text = "{}",
): Omit<SessionMeta, "owner"> & { environment: string } {
  const { environment, created, used, runs, resumed } = fields(
    JSON.parse(text),
  );
  const isMeta = typeof environment === "string" &&
    isCount(created) && isCount(used) && isCount(runs);
  if (isMeta) {
    const meta = { environment, created, used, runs };
    return isCount(resumed) ? { ...meta, resumed } : meta;
  }
  throw new TypeError("its facts are of another form");
}
