import { DeadlineError } from "../deadline.ts";
import { type Channel, parseTrusted } from "../protocol/channel.ts";
import type { AnyBody } from "../protocol/held_body.ts";
import type {
  Facts,
  FromKeeper,
  Place,
  Room,
  Space,
  ToKeeper,
} from "../protocol/keeper_messages.ts";
import {
  type Answered,
  type Asked,
  LostError,
  Requests,
} from "../protocol/requests.ts";
import type { BrokerLine } from "./broker_line.ts";

/** Opens the way to a keeper's process. */
export type OpenKeeper = () => Channel<Asked<ToKeeper>, Answered<FromKeeper>>;

type Bytes = Uint8Array<ArrayBuffer>;
type Done = FromKeeper & { type: "done" };
type Found = { facts: Facts; body: Bytes };

/** A value that cannot be kept or read; a sentence that names it, and the remedy. */
export class KeeperError extends Error {
  override name = "KeeperError";

  /** @param reason The end of the sentence, without its full stop. */
  constructor(message: string, readonly reason: string) {
    super(message);
  }
}

/** A value that is not written, as another server has its lease. */
export class MovedError extends KeeperError {}

/** A value whose file is damaged. */
export class DamagedError extends KeeperError {}

/** A value that is not in its place yet. */
export interface KeptDraft {
  /** The revision of the value, once it is in its place; a keeper's own draft has it. */
  readonly revision?: string;
  append(bytes: AnyBody): Promise<void>;
  /**
   * Puts it in the place of an older value, whole; gives the keys that made room.
   *
   * @param ifLease The revision that its lease must have.
   * @throws {MovedError} If its lease has another.
   */
  commit(ifLease?: string): Promise<Committed>;
  abort(): Promise<void>;
}

/** A draft in its place, the keys that made room, and the room that is taken now. */
interface Committed {
  facts: Facts;
  dropped: string[];
  /** Undefined if its answer was lost. */
  room?: Room | undefined;
}

/** The values of a folder, wherever they are. */
export type Kept = Pick<Keeper, keyof Keeper>;

/** The folders of keepers, by their names in a spec. */
const FOLDERS = {
  /** Time to write or read all of a large session on a slow disk. */
  sessions: { what: "the keeper of sessions", answerMs: 120_000 },
  /** Another server may have the folder for 20 s. */
  state: { what: "the keeper of --state-dir", answerMs: 30_000 },
};

/** Opens a keeper beyond the broker; its process starts with the first request. */
export function openKeeper(
  line: Pick<BrokerLine, "spawn">,
  folder: keyof typeof FOLDERS,
): Keeper {
  const parse = parseTrusted<Answered<FromKeeper>>;
  const open: OpenKeeper = () => line.spawn("keeper", { folder }, parse);
  return new Keeper(open, FOLDERS[folder]);
}

interface KeeperOptions {
  /** The keeper, in a sentence. */
  what: string;
  /** Time for an answer. */
  answerMs: number;
}

/** Requests that may be under way: as many as keep each process on the way busy. */
export const UNDER_WAY = 4;

/** The server's end of a keeper, which starts with the first request. */
export class Keeper {
  #drafts = 0;
  #requests: Requests<ToKeeper, FromKeeper>;

  constructor(open: OpenKeeper, private options: KeeperOptions) {
    const { what, answerMs: deadlineMs } = options;
    this.#requests = new Requests(open, { what, deadlineMs, most: UNDER_WAY });
  }

  async list(space: Space, owner: string): Promise<Facts[]> {
    const said = await this.#ask({ type: "list", space, owner }, space, AGAIN);
    return said.type === "listed" ? said.entries : [];
  }

  /** Undefined if there is none. */
  async get(
    space: Space,
    owner: string,
    key: string,
  ): Promise<{ facts: Facts; text: string } | undefined> {
    const found = await this.#find({ type: "get", space, owner, key });
    return found && { facts: found.facts, text: decoder.decode(found.body) };
  }

  /** Undefined if there is none. */
  async info(
    space: Space,
    owner: string,
    key: string,
  ): Promise<Facts | undefined> {
    return (await this.#find({ type: "info", space, owner, key }))?.facts;
  }

  /**
   * Reads a piece; undefined if the value is gone, or not of the revision that is
   * named. The first piece is given only if the whole value is as it was written.
   */
  async read(
    space: Space,
    owner: string,
    key: string,
    piece: { offset: number; length: number; revision?: string },
  ): Promise<{ facts: Facts; bytes: Bytes } | undefined> {
    const place = { space, owner, key };
    const found = await this.#find({ type: "read", ...place, ...piece });
    return found && { facts: found.facts, bytes: found.body };
  }

  /**
   * Writes a value; undefined if it is not of the revision that was named.
   *
   * @throws {RangeError} If it is too large, or there are too many; with the remedy.
   */
  async put(
    space: Space,
    owner: string,
    key: string,
    { text, ...more }: { text: string; metadata?: string; ifRevision?: string },
  ): Promise<Facts | undefined> {
    const place = { space, owner, key };
    const request = { type: "put", ...place, ...more, by: this.#by() } as const;
    // A revision is gone the second time, if it was replaced the first time.
    const again = more.ifRevision === undefined;
    const body = encoder.encode(text);
    const said = await this.#ask(request, nameOf(place), { again, body });
    return said.type === "done" ? said.facts : undefined;
  }

  /** Whether it was there, and of the revisions that were named. */
  async delete(
    space: Space,
    owner: string,
    key: string,
    revisions: { ifRevision?: string; ifLease?: string } = {},
  ): Promise<boolean> {
    const place = { space, owner, key };
    const request = { type: "delete", ...place, ...revisions } as const;
    const said = await this.#ask(request, nameOf(place), AGAIN);
    return said.type === "done";
  }

  /**
   * Opens a draft; with a size, of so many bytes.
   *
   * @throws {RangeError} If it is too large, or there are too many; with the remedy.
   */
  async begin(
    space: Space,
    owner: string,
    key: string,
    value: { size?: number; used?: number; metadata?: string },
  ): Promise<KeptDraft> {
    const draft = ++this.#drafts;
    const place = { space, owner, key };
    const name = nameOf(place);
    const begin = { type: "begin", draft, ...place, ...value } as const;
    const { facts } = await this.#ask(begin, name) as Done;
    return {
      revision: facts?.revision ?? "",
      append: async (body) => {
        await this.#ask({ type: "append", draft }, name, { body });
      },
      commit: (ifLease) => this.#commit(draft, place, facts, ifLease),
      abort: async () => {
        await this.#ask({ type: "abort", draft }, name).catch(() => {});
      },
    };
  }

  /**
   * An answer that does not come tells nothing: the value may be in its place, or come
   * there later. It is told as kept only if it is, and else is not there.
   */
  async #commit(
    draft: number,
    place: Place,
    begun: Facts | undefined,
    ifLease: string | undefined,
  ): Promise<Committed> {
    const name = nameOf(place);
    const commit: ToKeeper = { type: "commit", draft, by: this.#by() };
    if (ifLease !== undefined) commit.ifLease = ifLease;
    try {
      const said = await this.#ask(commit, name);
      if (said.type === "conflict") {
        const reason = "another server has it now";
        throw new MovedError(`Cannot keep ${name}: ${reason}.`, reason);
      }
      const { facts, dropped = [], room } = said as Done;
      if (!facts) throw new Error("The keeper has committed without facts");
      return { facts, dropped, room };
    } catch (error) {
      const { cause } = Object(error);
      const ifRevision = begun?.revision ?? "";
      if (cause instanceof LostError) {
        const info = { type: "info", ...place } as const;
        const facts = (await this.#find(info).catch(() => undefined))?.facts;
        if (facts?.revision === ifRevision) return { facts, dropped: [] };
      }
      if (cause instanceof DeadlineError) {
        const remove = { type: "delete", ...place, ifRevision } as const;
        this.#ask(remove, name, AGAIN).catch(() => {});
      }
      throw error;
    }
  }

  async #find(
    request: ToKeeper & { type: "get" | "info" | "read" },
  ): Promise<Found | undefined> {
    const said = await this.#ask(request, nameOf(request), AGAIN);
    return said.type === "found" ? said : undefined;
  }

  /** The time by which a write must be done: after it, it is told as failed. */
  #by(): number {
    return Date.now() + this.options.answerMs;
  }

  /**
   * @param name Of the value, in a sentence.
   * @throws {RangeError} If there would be too much.
   * @throws {KeeperError} If it cannot be done.
   */
  async #ask(
    request: ToKeeper,
    name: string,
    { body, again = false }: { body?: AnyBody; again?: boolean } = {},
  ): Promise<FromKeeper & { body: Bytes }> {
    let said;
    try {
      said = await this.#requests.ask(request, body, { again });
    } catch (cause) {
      if (!(cause instanceof DeadlineError || cause instanceof LostError)) {
        throw cause;
      }
      const { message: reason } = cause;
      const sentence = `Cannot reach what is kept: ${reason}.`;
      throw Object.assign(new KeeperError(sentence, reason), { cause });
    }
    const { answer } = said;
    const doing = `Cannot ${DOING[request.type] ?? "keep"} ${name}: `;
    switch (answer.type) {
      case "full": {
        const { reason } = answer;
        throw Object.assign(new RangeError(`${doing}${reason}.`), { reason });
      }
      case "failed":
        throw new KeeperError(`${doing}${answer.reason}.`, answer.reason);
      case "damaged":
        throw new DamagedError(
          `${doing}its file is damaged (${answer.reason}). Delete it, or write it anew.`,
          answer.reason,
        );
      default:
        return { ...answer, body: said.body ?? EMPTY };
    }
  }
}

const AGAIN = { again: true };
const EMPTY = new Uint8Array();
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const DOING: Partial<Record<ToKeeper["type"], string>> = {
  get: "read",
  info: "read",
  read: "read",
  list: "list",
  delete: "delete",
};

function nameOf({ space, key }: Place): string {
  return `${JSON.stringify(key)} in ${space}`;
}
