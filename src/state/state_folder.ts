import { join } from "node:path";
import { sweepDrafts } from "../environments/drafts.ts";
import { reasonOf } from "../errors.ts";
import type { StateBounds } from "../protocol/state_bounds.ts";
import type { FromState, Place, ToState } from "../protocol/state_messages.ts";
import { DRAFT, Draft } from "./draft.ts";
import { lockFolder } from "./folder_lock.ts";
import { ignoreAbsent } from "./open_value.ts";
import { findRoom, FullError, listFiles, type ValueFile } from "./room.ts";
import {
  Damage,
  encodeHead,
  factsOf,
  nameOf,
  ownerName,
} from "./value_file.ts";
import { Values } from "./values.ts";

type Message<T extends ToState["type"]> = ToState & { type: T };

interface OpenDraft {
  place: Place;
  draft: Draft;
}

export interface StateFolderOptions {
  bounds: StateBounds;
  /** Time to wait for another server that writes. */
  lockMs: number;
  now(): number;
  /** Told each file that cannot be read once, as a sentence. */
  onDamage(sentence: string): void;
}

/**
 * The folder of what outlives sessions. Each value is a file, which is written
 * beside its place and renamed: several servers have the same folder, and a reader
 * finds a whole file, if any. Writers have it in turns.
 */
export class StateFolder {
  #values: Values;
  #drafts = new Map<number, OpenDraft>();
  #isSwept = false;

  constructor(private folder: string, private options: StateFolderOptions) {
    this.#values = new Values(folder, options.onDamage);
  }

  /** Does what the server asks; never throws. */
  async obey(request: ToState): Promise<FromState> {
    const place = this.#placeOf(request);
    try {
      return await this.#obey(request);
    } catch (error) {
      if (request.type === "append") await this.#abort(request.draft);
      if (error instanceof FullError) {
        return { type: "full", reason: error.message };
      }
      return { type: "failed", reason: this.#explain(request, place, error) };
    }
  }

  /** Removes the drafts that are open. */
  async close(): Promise<void> {
    for (const draft of this.#drafts.keys()) await this.#abort(draft);
  }

  async #obey(request: ToState): Promise<FromState> {
    switch (request.type) {
      case "list": {
        const { space, owner } = request;
        const entries = await this.#values.list(space, owner);
        return { type: "listed", entries };
      }
      case "get":
        return await this.#values.get(request);
      case "info": {
        const facts = await this.#values.facts(request);
        return facts ? { type: "done", facts } : { type: "absent" };
      }
      case "read":
        return await this.#values.read(request);
      case "put":
        return await this.#put(request);
      case "delete":
        return await this.#delete(request);
      case "begin":
        await this.#begin(request);
        break;
      case "append":
        await this.#find(request.draft).draft.append(request.bytes);
        break;
      case "commit":
        return await this.#commit(request.draft);
      case "abort":
        await this.#abort(request.draft);
    }
    return { type: "done" };
  }

  async #put(request: Message<"put">): Promise<FromState> {
    const bytes = new TextEncoder().encode(request.text);
    this.#refuseLarge(request, bytes.length);
    await this.#prepare();
    using _lock = await this.#lock();
    const { ifRevision } = request;
    if (ifRevision !== undefined) {
      const facts = await this.#values.facts(request);
      if ((facts?.revision ?? "") !== ifRevision) return { type: "conflict" };
    }
    const draft = await this.#openDraft(request, bytes.length);
    try {
      await this.#makeRoom(request, draft);
      await draft.append(bytes);
      await draft.publish();
    } catch (error) {
      await draft.abort();
      throw error;
    }
    return { type: "done", facts: factsOf(draft.head) };
  }

  async #delete(place: Place): Promise<FromState> {
    const path = this.#values.pathOf(place);
    if (!await Deno.lstat(path).catch(ignoreAbsent)) return { type: "absent" };
    using _lock = await this.#lock();
    await Deno.remove(path).catch(ignoreAbsent);
    return { type: "done" };
  }

  async #begin(request: Message<"begin">): Promise<void> {
    const { draft: number, size } = request;
    if (this.#drafts.has(number)) throw new TypeError("its draft is open");
    this.#refuseLarge(request, size);
    await this.#prepare();
    // Refuses now what would be refused at the end, or would fill the disk before.
    const files = [...listFiles(this.folder), ...this.#draftFiles()];
    findRoom(request, size, files, this.options.bounds);
    const draft = await this.#openDraft(request, size);
    this.#drafts.set(number, { place: request, draft });
  }

  async #commit(number: number): Promise<FromState> {
    const { place, draft } = this.#find(number);
    try {
      using _lock = await this.#lock();
      await this.#makeRoom(place, draft);
      await draft.publish();
    } finally {
      await this.#abort(number);
    }
    return { type: "done", facts: factsOf(draft.head) };
  }

  /** Removes a draft that is not in its place. */
  async #abort(number: number): Promise<void> {
    const open = this.#drafts.get(number);
    this.#drafts.delete(number);
    await open?.draft.abort();
  }

  async #openDraft(
    place: Place & { metadata?: string },
    bytes: number,
  ): Promise<Draft> {
    const { key, metadata } = place;
    const updated = this.options.now();
    // A damaged value is as good as none.
    const before = await this.#values.facts(place).catch(() => undefined);
    const { created } = before ?? { created: updated };
    const revision = crypto.randomUUID();
    return await Draft.open(this.#values.pathOf(place), {
      ...factsOf({
        ...{ key, bytes, created, updated, revision },
        ...(metadata === undefined ? {} : { metadata }),
      }),
      name: nameOf(place),
    });
  }

  /** Removes what has to make room for a draft. */
  async #makeRoom(place: Place, { head }: Draft): Promise<void> {
    const bytes = encodeHead(head).length + head.bytes;
    const files = listFiles(this.folder);
    for (const name of findRoom(place, bytes, files, this.options.bounds)) {
      await Deno.remove(join(this.folder, name)).catch(ignoreAbsent);
    }
  }

  #draftFiles(): ValueFile[] {
    return [...this.#drafts.values()].map(({ place, draft }) => ({
      name: draft.path,
      owner: ownerName(place.owner),
      space: place.space,
      bytes: draft.head.bytes,
      written: draft.head.updated,
    }));
  }

  #refuseLarge({ space, key }: Place, bytes: number): void {
    const most = this.options.bounds.spaces[space].bytes;
    if (bytes <= most) return;
    throw new FullError(
      `Cannot keep ${
        JSON.stringify(key)
      } in ${space}: it has ${bytes} bytes, and may have ${most}. Keep less, or in several parts.`,
    );
  }

  #lock(): Promise<Disposable> {
    return lockFolder(this.folder, this.options.lockMs);
  }

  async #prepare(): Promise<void> {
    // Its user may have removed it, while no server wrote.
    await Deno.mkdir(this.folder, { mode: 0o700 }).catch(() => {});
    if (this.#isSwept) return;
    this.#isSwept = true;
    await sweepDrafts(this.folder, DRAFT);
  }

  #find(number: number): OpenDraft {
    const draft = this.#drafts.get(number);
    if (draft) return draft;
    throw new TypeError("its draft is gone, so write it anew");
  }

  #placeOf(request: ToState): Place | undefined {
    if ("key" in request) return request;
    return "draft" in request
      ? this.#drafts.get(request.draft)?.place
      : undefined;
  }

  #explain(
    { type }: ToState,
    place: Place | undefined,
    error: unknown,
  ): string {
    const doing = DOING[type] ?? "keep";
    const named = place
      ? ` ${JSON.stringify(place.key)} in ${place.space}`
      : "";
    if (!(error instanceof Damage)) {
      return `Cannot ${doing}${named}: ${reasonOf(error)}.`;
    }
    if (place) this.#values.report(nameOf(place), error);
    return `Cannot ${doing}${named}: its file is damaged (${error.message}). Delete it, or write it anew.`;
  }
}

const DOING: Partial<Record<ToState["type"], string>> = {
  ...{ get: "read", info: "read", read: "read" },
  ...{ list: "list", delete: "delete" },
};
