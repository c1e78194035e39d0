import { messageOf } from "../../errors.ts";
import { PIECE_BYTES } from "../../protocol/run_files.ts";
import type {
  FromStore,
  SessionMeta,
  ToStore,
} from "../../protocol/store_messages.ts";
import type { BrokerLine } from "../broker_line.ts";

/** Sessions on disk, by keys of 32 hexadecimal digits; their bytes are opaque. */
export interface SessionStore {
  /**
   * Writes a session whole or not at all, in the place of an older one; whether it
   * is there.
   *
   * @param write Hands on the bytes, waiting for each piece to be taken; false or an
   * error if there are not all of them.
   */
  save(
    key: string,
    meta: SessionMeta,
    write: (take: (piece: Uint8Array) => Promise<void>) => Promise<boolean>,
  ): Promise<boolean>;
  /** Undefined if there is none that this environment can read: the log has the reason. */
  load(key: string, environment: string): Promise<StoredSession | undefined>;
  remove(key: string): Promise<void>;
}

export interface StoredSession {
  meta: SessionMeta;
  /** The bytes, which are those that were saved; throws if the file has gone since. */
  pieces: AsyncIterable<Uint8Array<ArrayBuffer>>;
}

/** The store beyond the broker. */
export class BrokerStore implements SessionStore {
  #drafts = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(private broker: Pick<BrokerLine, "askStore" | "log">) {}

  async save(
    ...[key, meta, write]: Parameters<SessionStore["save"]>
  ): Promise<boolean> {
    const draft = ++this.#drafts;
    const take = async (piece: Uint8Array) => {
      for (let at = 0; at < piece.length; at += PIECE_BYTES) {
        const bytes = new Uint8Array(piece.subarray(at, at + PIECE_BYTES));
        await this.#ask({ type: "append", draft, bytes });
      }
    };
    try {
      await this.#ask({ type: "begin", draft, key, meta });
      if (await write(take)) {
        const stored = await this.#ask({ type: "commit", draft });
        for (const key of stored.type === "stored" ? stored.dropped : []) {
          this.#warn("dropped", key, "all are more than --max-stored-sessions");
        }
        return true;
      }
    } catch (error) {
      this.#warn("not saved", key, messageOf(error));
    }
    await this.#ask({ type: "abort", draft }).catch(() => {});
    return false;
  }

  async load(
    key: string,
    environment: string,
  ): Promise<StoredSession | undefined> {
    try {
      const found = await this.#ask({ type: "load", key, environment });
      if (found.type !== "loaded") return undefined;
      return { meta: found.meta, pieces: this.#read(key, found) };
    } catch (error) {
      this.#warn("not loaded", key, messageOf(error));
    }
  }

  async remove(key: string): Promise<void> {
    try {
      await this.#ask({ type: "remove", key });
    } catch (error) {
      this.#warn("not removed", key, messageOf(error));
    }
  }

  async *#read(
    key: string,
    { size, sha256 }: FromStore & { type: "loaded" },
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    for (let offset = 0; offset < size;) {
      const piece = await this.#ask({ type: "read", key, sha256, offset });
      if (piece.type !== "piece" || piece.bytes.length === 0) {
        throw new Error("Cannot read all of a stored session: it ends early");
      }
      yield piece.bytes;
      offset += piece.bytes.length;
    }
  }

  /**
   * Asks once the requests before are answered, so that no process has more than a
   * piece of all sessions on its way.
   *
   * @throws {Error} If the store cannot do it.
   */
  async #ask(request: ToStore): Promise<FromStore> {
    const answer = this.#last.then(() => this.broker.askStore(request));
    this.#last = answer.catch(() => {});
    const said = await answer;
    if (said.type === "failed") throw new Error(said.reason);
    return said;
  }

  #warn(event: string, key: string, reason: string): void {
    // The key is a hash, and opens no session.
    this.broker.log.write("warning", "session-store", { event, key, reason });
  }
}
