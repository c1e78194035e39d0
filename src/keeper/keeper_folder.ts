import { join } from "node:path";
import { ignoreAbsent } from "../disk.ts";
import { sweepDrafts } from "../environments/drafts.ts";
import { messageOf, reasonOf } from "../errors.ts";
import {
  type Facts,
  type FromKeeper,
  type KeeperBounds,
  LONGEST_TEXT,
  type Place,
  type Room,
  type Space,
  type ToKeeper,
} from "../protocol/keeper_messages.ts";
import { DRAFT, Draft } from "./draft.ts";
import { lockFolder } from "./folder_lock.ts";
import { maybeOpenValue, type OpenValue, verify } from "./open_value.ts";
import {
  findRoom,
  FullError,
  listFiles,
  RULES,
  type ValueFile,
} from "./room.ts";
import { Damage, factsOf, MOST_HEAD, nameOf, ownerName } from "./value_file.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Message<T extends ToKeeper["type"]> = ToKeeper & { type: T };
export type Answer = FromKeeper & { body?: Bytes };

interface OpenDraft {
  place: Place;
  draft: Draft;
  /** Bytes that it is to have, if they are known. */
  size: number | undefined;
  used: number | undefined;
}

export interface KeeperFolderOptions {
  bounds: KeeperBounds;
  /** Time to wait for another server that writes. */
  lockMs: number;
  now(): number;
  /** Told each file that cannot be read once, as a sentence. */
  onDamage(sentence: string): void;
}

/**
 * A folder of values. Each value is a file, which is written beside its place and
 * renamed: several servers have the same folder, and a reader finds a whole file, if
 * any. Writers have it in turns.
 */
export class KeeperFolder {
  /** By the names of their files, those that were listed last behind the others. */
  #listed = new Map<string, { stamp: string | undefined; facts: Facts }>();
  #drafts = new Map<number, OpenDraft>();
  #reported = new Set<string>();

  constructor(private folder: string, private options: KeeperFolderOptions) {}

  /** Carries out a request of the server; never throws. */
  async obey(request: ToKeeper, body: Bytes = EMPTY): Promise<Answer> {
    try {
      return await this.#obey(request, body);
    } catch (error) {
      if (request.type === "append") await this.#abort(request.draft);
      if (error instanceof FullError) {
        return { type: "full", reason: error.message };
      }
      if (!(error instanceof Damage)) {
        return { type: "failed", reason: reasonOf(error) };
      }
      if ("key" in request) await this.#heal(request, error);
      return { type: "damaged", reason: error.message };
    }
  }

  /** Removes the drafts that are open. */
  async close(): Promise<void> {
    for (const draft of this.#drafts.keys()) await this.#abort(draft);
  }

  async #obey(request: ToKeeper, body: Bytes): Promise<Answer> {
    switch (request.type) {
      case "list": {
        const { space, owner } = request;
        return { type: "listed", entries: await this.#list(space, owner) };
      }
      case "info": {
        const facts = await this.#facts(request);
        return facts ? { type: "found", facts } : { type: "absent" };
      }
      case "get":
      case "read":
        return await this.#read(request);
      case "put":
        return await this.#put(request, body);
      case "delete":
        return await this.#delete(request);
      case "begin":
        return await this.#begin(request);
      case "append":
        this.#append(request.draft, body);
        break;
      case "commit":
        return await this.#commit(request);
      case "abort":
        await this.#abort(request.draft);
    }
    return { type: "done" };
  }

  /** The values of an owner that can be read; the others are reported. */
  async #list(space: Space, owner: string): Promise<Facts[]> {
    const start = `${ownerName(owner)}.${space}.`;
    const entries: Facts[] = [];
    for (const { name, stamp } of listFiles(this.folder, start)) {
      try {
        const known = this.#listed.get(name);
        const facts = known && known.stamp === stamp
          ? known.facts
          : await this.#factsIn(name, space);
        this.#listed.delete(name);
        if (!facts) continue;
        this.#listed.set(name, { stamp, facts });
        entries.push(facts);
      } catch (error) {
        this.#report(name, error);
      }
    }
    const [...names] = this.#listed.keys();
    names.slice(0, -MOST_LISTED).forEach((name) => this.#listed.delete(name));
    return entries.sort((one, other) => one.key < other.key ? -1 : 1);
  }

  /** Reads a piece; all of a text. */
  async #read(
    request: Place & Partial<Omit<Message<"read">, keyof Place | "type">>,
  ): Promise<Answer> {
    using value = await this.#openFile(nameOf(request), request.space);
    if (!value) return { type: "absent" };
    const facts = factsOf(value.head);
    const { offset = 0, length, revision = facts.revision } = request;
    if (revision !== facts.revision) return { type: "conflict" };
    if (length === undefined && facts.bytes > LONGEST_TEXT) {
      throw new RangeError(`it has ${facts.bytes} bytes: read it in pieces`);
    }
    // A file does not change: another write is another file.
    if (offset === 0) await verify(value);
    const body = await value.read(offset, length ?? LONGEST_TEXT);
    return { type: "found", facts, body };
  }

  async #facts(place: Place): Promise<Facts | undefined> {
    return await this.#factsIn(nameOf(place), place.space);
  }

  async #factsIn(name: string, space: Space): Promise<Facts | undefined> {
    using value = await this.#openFile(name, space);
    return value && factsOf(value.head);
  }

  async #put(request: Message<"put">, body: Bytes): Promise<Answer> {
    this.#refuseLarge(request.space, body.length);
    await this.#prepare(request.space);
    using _lock = await this.#lock();
    this.#refuseLate(request);
    const { ifRevision } = request;
    if (await this.#isOther(request, ifRevision)) return { type: "conflict" };
    const draft = await this.#openDraft(request, body.length);
    try {
      draft.append(body);
      await draft.finish();
      const made = await this.#makeRoom(request, draft);
      await draft.publish();
      return { type: "done", facts: draft.facts, ...made };
    } catch (error) {
      await draft.abort();
      throw error;
    }
  }

  async #delete(request: Message<"delete">): Promise<Answer> {
    const path = join(this.folder, nameOf(request));
    if (!await Deno.lstat(path).catch(ignoreAbsent)) return { type: "absent" };
    using _lock = await this.#lock();
    const { ifRevision, ifLease } = request;
    const isOther = await this.#isOther(request, ifRevision) ||
      await this.#isOther({ ...request, space: "leases" }, ifLease);
    if (isOther) return { type: "conflict" };
    await Deno.remove(path).catch(ignoreAbsent);
    return { type: "done" };
  }

  async #begin(request: Message<"begin">): Promise<Answer> {
    const { draft: number, size, used } = request;
    if (this.#drafts.has(number)) throw new TypeError("its draft is open");
    this.#refuseLarge(request.space, size ?? 0);
    await this.#prepare(request.space);
    // Refuses a draft now that would be refused at the end, or would fill the disk
    // before.
    const files = [...listFiles(this.folder), ...this.#draftFiles()];
    findRoom(request, size ?? MOST_HEAD, files, this.options.bounds);
    const draft = await this.#openDraft(request, size);
    this.#drafts.set(number, { place: request, draft, size, used });
    return { type: "done", facts: draft.facts };
  }

  #append(number: number, bytes: Bytes): void {
    const { place, draft, size } = this.#find(number);
    if (size === undefined) {
      const { bounds } = this.options;
      const { written } = draft;
      const head = draft.bytes - written;
      this.#refuseLarge(place.space, written + bytes.length, head);
      const others = this.#draftFiles()
        .filter(({ name }) => name !== draft.path);
      findRoom(place, draft.bytes + bytes.length, others, bounds);
    }
    draft.append(bytes);
  }

  async #commit(request: Message<"commit">): Promise<Answer> {
    const { place, draft, used } = this.#find(request.draft);
    try {
      await draft.finish();
      using _lock = await this.#lock();
      this.#refuseLate(request);
      const lease = { ...place, space: "leases" } as const;
      if (await this.#isOther(lease, request.ifLease)) {
        return { type: "conflict" };
      }
      const made = await this.#makeRoom(place, draft);
      await draft.publish(used);
      return { type: "done", facts: draft.facts, ...made };
    } finally {
      await this.#abort(request.draft);
    }
  }

  /** Removes a draft that is not in its place. */
  async #abort(number: number): Promise<void> {
    const open = this.#drafts.get(number);
    this.#drafts.delete(number);
    await open?.draft.abort();
  }

  async #openDraft(
    place: Place & { metadata?: string },
    size: number | undefined,
  ): Promise<Draft> {
    const updated = this.options.now();
    // A damaged value is as good as none.
    const before = await this.#facts(place).catch(() => undefined);
    const facts = {
      ...factsOf({
        ...place,
        bytes: 0,
        created: before?.created ?? updated,
        updated,
        revision: crypto.randomUUID(),
      }),
      name: nameOf(place),
    };
    return await Draft.open(join(this.folder, facts.name), facts, size);
  }

  /**
   * Removes the values that have to make room for a draft; gives their keys, and the
   * room that is taken then, if it was looked at.
   */
  async #makeRoom(
    place: Place,
    { bytes, path }: Draft,
  ): Promise<{ dropped: string[]; room?: Room }> {
    const before = OFTEN.includes(place.space) &&
      await Deno.lstat(path).catch(ignoreAbsent);
    if (before && before.size >= bytes) return { dropped: [] };
    const files = listFiles(this.folder);
    const { bounds } = this.options;
    const gone = findRoom(place, bytes, files, bounds);
    const kept = files
      .filter(({ name }) => name !== nameOf(place) && !gone.includes(name));
    const all = kept.reduce((sum, file) => sum + file.bytes, bytes);
    const dropped: string[] = [];
    for (const name of gone) {
      const space = files.find((file) => file.name === name)?.space as Space;
      using value = await this.#openFile(name, space).catch(() => undefined);
      await Deno.remove(join(this.folder, name)).catch(ignoreAbsent);
      dropped.push(value?.head.key ?? name);
    }
    return { dropped, room: { bytes: all, totalBytes: bounds.totalBytes } };
  }

  #draftFiles(): ValueFile[] {
    return [...this.#drafts.values()].map(({ place, draft }) => ({
      name: draft.path,
      owner: ownerName(place.owner),
      space: place.space,
      bytes: draft.bytes,
      used: 0,
      isDraft: true,
    }));
  }

  async #isOther(place: Place, revision: string | undefined): Promise<boolean> {
    if (revision === undefined) return false;
    return ((await this.#facts(place))?.revision ?? "") !== revision;
  }

  /** @param head Bytes before the value in its file, if they are known. */
  #refuseLarge(space: Space, bytes: number, head = 0): void {
    const { spaces, totalBytes } = this.options.bounds;
    const most = Math.min(spaces[space]?.bytes ?? 0, totalBytes - head);
    if (bytes <= most) return;
    throw new FullError(
      `it has ${bytes} bytes, and may have ${most}${RULES[space].tooLarge}`,
    );
  }

  #refuseLate({ by = Infinity }: { by?: number }): void {
    if (this.options.now() <= by) return;
    throw new Error("the server has given it up meanwhile");
  }

  #lock(): Promise<Disposable> {
    return lockFolder(this.folder, this.options.lockMs);
  }

  async #prepare(space: Space): Promise<void> {
    // Its user may have removed it, while no server wrote.
    await Deno.mkdir(this.folder, { mode: 0o700 }).catch(() => {});
    // Servers write these all the time.
    if (!OFTEN.includes(space)) await sweepDrafts(this.folder, DRAFT);
  }

  #find(number: number): OpenDraft {
    const draft = this.#drafts.get(number);
    if (draft) return draft;
    throw new TypeError("its draft is gone, so write it anew");
  }

  async #openFile(name: string, space: Space): Promise<OpenValue | undefined> {
    const { bytes = 0 } = this.options.bounds.spaces[space] ?? {};
    try {
      return await maybeOpenValue(join(this.folder, name), bytes);
    } catch (error) {
      // Its user may know which program has written it.
      if (!(error instanceof RangeError)) throw error;
      throw new RangeError(
        `${error.message}. Use the program and options that have written the file "${name}", or delete it`,
      );
    }
  }

  /** Removes a damaged value, or tells of it. */
  async #heal(place: Place, error: Damage): Promise<void> {
    const name = nameOf(place);
    if (!RULES[place.space].heals) return this.#report(name, error);
    await Deno.remove(join(this.folder, name)).catch(() => {});
  }

  #report(name: string, error: unknown): void {
    if (this.#reported.has(name)) return;
    this.#reported.add(name);
    this.options.onDamage(
      `Skipping the file "${name}" in "${this.folder}": ${messageOf(error)}.`,
    );
  }
}

const EMPTY = new Uint8Array();
/** Spaces of small values that are written again and again. */
const OFTEN: readonly Space[] = ["leases", "servers"];
/** Files whose facts are known without opening them: a run begins with a list. */
const MOST_LISTED = 4000;
