import { messageOf } from "../../errors.ts";
import { PIECE_BYTES } from "../../protocol/run_files.ts";
import type {
  FromStore,
  SessionMeta,
  ToStore,
} from "../../protocol/store_messages.ts";
import { Window } from "../../protocol/window.ts";
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

/** Requests that may be under way: as many as keep each process on the way busy. */
const UNDER_WAY = 4;

/** Time for an answer: to write or read all of a large session on a slow disk. */
const ANSWER_MS = 120_000;

/** The store has ended with the request; it starts anew with the next. */
class StoreEnded extends Error {}

/** The store beyond the broker. */
export class BrokerStore implements SessionStore {
  #drafts = 0;
  #window = new Window(UNDER_WAY);

  constructor(
    private broker: Pick<BrokerLine, "askStore" | "log">,
    private answerMs = ANSWER_MS,
  ) {}

  async save(
    ...[key, meta, write]: Parameters<SessionStore["save"]>
  ): Promise<boolean> {
    const draft = ++this.#drafts;
    let failure: unknown;
    let last: Promise<unknown> | undefined;
    const take = async (piece: Uint8Array) => {
      for (let at = 0; at < piece.length; at += PIECE_BYTES) {
        if (failure) throw failure;
        const bytes = new Uint8Array(piece.subarray(at, at + PIECE_BYTES));
        const { answer } = await this.#send({ type: "append", draft, bytes });
        last = answer.catch((error) => failure ??= error);
      }
    };
    try {
      await this.#ask({ type: "begin", draft, key, meta: toMeta(meta) });
      if (await write(take)) {
        // Answers come in the order of their requests.
        await last;
        if (failure) throw failure;
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
      const found = await this.#askAgain({ type: "load", key, environment });
      if (found.type !== "loaded") return undefined;
      return { meta: found.meta, pieces: this.#read(key, found) };
    } catch (error) {
      this.#warn("not loaded", key, messageOf(error));
    }
  }

  async remove(key: string): Promise<void> {
    try {
      await this.#askAgain({ type: "remove", key });
    } catch (error) {
      this.#warn("not removed", key, messageOf(error));
    }
  }

  async *#read(
    key: string,
    { size, sha256 }: FromStore & { type: "loaded" },
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const ahead: Promise<FromStore>[] = [];
    let offset = 0;
    for (let left = size; left > 0;) {
      while (ahead.length < UNDER_WAY && offset < size) {
        const answer = this.#askAgain({ type: "read", key, sha256, offset });
        // Its error is thrown once the pieces before it are taken.
        answer.catch(() => {});
        ahead.push(answer);
        offset += PIECE_BYTES;
      }
      const piece = await ahead.shift();
      if (
        piece?.type !== "piece" ||
        piece.bytes.length !== Math.min(left, PIECE_BYTES)
      ) throw new Error("Cannot read all of a stored session: it ends early");
      yield piece.bytes;
      left -= piece.bytes.length;
    }
  }

  /** Asks for what a store that starts anew can do as well. */
  #askAgain(request: ToStore): Promise<FromStore> {
    return this.#ask(request).catch((error) => {
      if (error instanceof StoreEnded) return this.#ask(request);
      throw error;
    });
  }

  /** @throws {Error} If the store cannot do it. */
  async #ask(request: ToStore): Promise<FromStore> {
    return await (await this.#send(request)).answer;
  }

  /**
   * Sends a request once there is room for it, so that no process has more than a
   * few pieces of all sessions on its way.
   */
  async #send(request: ToStore): Promise<{ answer: Promise<FromStore> }> {
    const sent = await this.#window.pass(
      1,
      () => Promise.resolve({ said: this.broker.askStore(request) }),
    );
    const answer = this.#inTime(sent.said)
      .finally(() => this.#window.leave(1))
      .then((said) => {
        if (said.type === "failed") throw new Error(said.reason);
        if (said.type === "ended") throw new StoreEnded(said.reason);
        return said;
      });
    return { answer };
  }

  async #inTime(answer: Promise<FromStore>): Promise<FromStore> {
    const late = Promise.withResolvers<FromStore>();
    const reason = `the store does not answer within ${this.answerMs} ms`;
    const timer = setTimeout(
      () => late.resolve({ type: "failed", reason }),
      this.answerMs,
    );
    return await Promise.race([answer, late.promise])
      .finally(() => clearTimeout(timer));
  }

  #warn(event: string, key: string, reason: string): void {
    // The key is a hash, and opens no session.
    this.broker.log.write("warning", "session-store", { event, key, reason });
  }
}

/** The facts alone, of an object that may have more. */
function toMeta(
  { owner, environment, created, used, runs }: SessionMeta,
): SessionMeta {
  return { owner, environment, created, used, runs };
}
