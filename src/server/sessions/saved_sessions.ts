import { sha256 } from "../../disk.ts";
import { messageOf } from "../../errors.ts";
import { fields, isCount } from "../../protocol/fields.ts";
import type { Facts } from "../../protocol/keeper_messages.ts";
import { PIECE_BYTES } from "../../protocol/run_files.ts";
import type { Log } from "../../protocol/log_lines.ts";
import { type Kept, UNDER_WAY } from "../keeper.ts";

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
}

export interface StoredSession {
  meta: SessionMeta;
  /** The bytes, which are those that were saved; throws if the file has gone since. */
  pieces: AsyncIterable<Uint8Array<ArrayBuffer>>;
}

/** Sessions that wait on disk, by handle; another owner's is as good as none. */
export interface SessionStore {
  /**
   * Saves a session whole or not at all, in the place of what was saved of it before;
   * whether it is saved.
   *
   * @param write Hands on the bytes, waiting for each piece to be taken; false or an
   * error if there are not all of them.
   */
  save(
    handle: string,
    meta: SessionMeta,
    write: (take: (piece: Uint8Array) => Promise<void>) => Promise<boolean>,
  ): Promise<boolean>;
  /** Undefined if nothing can be restored: the log has the reason. */
  load(handle: string, owner: string): Promise<StoredSession | undefined>;
  remove(handle: string, owner: string): Promise<void>;
}

interface SavedOptions {
  /** Gives the id of the environment, once it is installed. */
  environment(): string | undefined;
  log: Pick<Log, "write">;
}

/**
 * The saved sessions of this server's environment, by handle: values of the space
 * `sessions`, whose bytes are opaque.
 */
export class SavedSessions implements SessionStore {
  constructor(
    private kept: Pick<Kept, "begin" | "read" | "delete">,
    private options: SavedOptions,
  ) {}

  async save(
    handle: string,
    { owner, created, used, runs }: SessionMeta,
    write: (take: (piece: Uint8Array) => Promise<void>) => Promise<boolean>,
  ): Promise<boolean> {
    const environment = this.options.environment();
    if (environment === undefined) return false;
    const key = toKey(handle);
    const metadata = JSON.stringify({ environment, created, used, runs });
    try {
      const value = { used, metadata };
      const draft = await this.kept.begin("sessions", owner, key, value);
      try {
        const ahead: Promise<void>[] = [];
        const isWhole = await write(async (piece) => {
          for (let at = 0; at < piece.length; at += PIECE_BYTES) {
            if (ahead.length >= UNDER_WAY) await ahead.shift();
            const taken = draft.append(piece.subarray(at, at + PIECE_BYTES));
            // Its error is thrown once the pieces before it are taken.
            taken.catch(() => {});
            ahead.push(taken);
          }
        });
        await Promise.all(ahead);
        if (isWhole) {
          for (const key of (await draft.commit()).dropped) {
            const reason = "all are more than --max-stored-sessions";
            this.#warn("dropped", key, reason);
          }
          return true;
        }
      } catch (error) {
        this.#warn("not saved", key, error);
      }
      await draft.abort();
    } catch (error) {
      this.#warn("not saved", key, error);
    }
    return false;
  }

  async load(
    handle: string,
    owner: string,
  ): Promise<StoredSession | undefined> {
    const environment = this.options.environment();
    if (environment === undefined) return undefined;
    const key = toKey(handle);
    try {
      const first = { offset: 0, length: PIECE_BYTES };
      const found = await this.kept.read("sessions", owner, key, first);
      if (!found) return undefined;
      const { facts, bytes } = found;
      const { environment: own, ...meta } = parseMetadata(facts.metadata);
      if (own !== environment) {
        throw new TypeError(`it is of the environment ${own}`);
      }
      const pieces = this.#pieces({ ...facts, owner }, bytes);
      return { meta: { owner, ...meta }, pieces };
    } catch (error) {
      this.#warn("not loaded", key, error);
    }
  }

  async remove(handle: string, owner: string): Promise<void> {
    const key = toKey(handle);
    try {
      await this.kept.delete("sessions", owner, key);
    } catch (error) {
      this.#warn("not removed", key, error);
    }
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
  const { environment, created, used, runs } = fields(JSON.parse(text));
  const isMeta = typeof environment === "string" &&
    isCount(created) && isCount(used) && isCount(runs);
  if (isMeta) return { environment, created, used, runs };
  throw new TypeError("its facts are of another form");
}
