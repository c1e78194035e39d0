import type { Hash } from "node:crypto";
import { join } from "node:path";
import { sweepDrafts } from "../environments/drafts.ts";
import type {
  FromStore,
  SessionMeta,
  ToStore,
} from "../protocol/store_messages.ts";
import {
  Damage,
  encodeHeader,
  HEADER_BYTES,
  startHash,
} from "./session_file.ts";
import { ignoreAbsent, maybeOpenSession, verify } from "./stored_session.ts";

/** Bytes that the store may take. */
export interface StoreBounds {
  /** Of a session's body. */
  mostBytes: number;
  /** Of all sessions; the least recently used make room. */
  totalBytes: number;
}

/** Names of sessions; a file of any other name is left alone, but for our drafts. */
const SESSION = /^([0-9a-f]{32})\.session$/;
/** Names of sessions that are being written, or were, when their store was killed. */
const DRAFT = /^[0-9a-f]{32}\.[0-9a-f-]{36}\.draft$/;

interface Draft {
  key: string;
  meta: SessionMeta;
  path: string;
  file: Deno.FsFile;
  size: number;
  hash: Hash;
}

/**
 * The folder of stored sessions. Each session is a file, which is written beside its
 * place and renamed: several stores may have the same folder, and a reader finds a
 * whole file, if any.
 */
export class SessionFolder {
  #drafts = new Map<number, Draft>();
  #mostBytes: number;

  constructor(private folder: string, private bounds: StoreBounds) {
    this.#mostBytes = Math.min(
      bounds.mostBytes,
      bounds.totalBytes - HEADER_BYTES,
    );
  }

  /** Does what the server asks; throws if that cannot be done. */
  async obey(request: ToStore): Promise<FromStore> {
    switch (request.type) {
      case "begin":
        await this.#begin(request);
        break;
      case "append":
        await this.#append(this.#find(request.draft), request.bytes);
        break;
      case "commit":
        return { type: "stored", dropped: await this.#commit(request.draft) };
      case "abort":
        await this.#abort(request.draft);
        break;
      case "load":
        return await this.#load(request.key, request.environment);
      case "read":
        return { type: "piece", bytes: await this.#read(request) };
      case "remove":
        await Deno.remove(this.#pathOf(request.key)).catch(ignoreAbsent);
    }
    return { type: "done" };
  }

  /** Removes the drafts that are open. */
  async close(): Promise<void> {
    for (const draft of this.#drafts.keys()) await this.#abort(draft);
  }

  async #begin({ draft, key, meta }: ToStore & { type: "begin" }) {
    if (this.#drafts.has(draft)) throw new TypeError("its draft is open");
    this.#checkRoom(HEADER_BYTES);
    await sweepDrafts(this.folder, DRAFT);
    const path = join(this.folder, `${key}.${crypto.randomUUID()}.draft`);
    const options = { write: true, createNew: true, mode: 0o600 };
    const file = await Deno.open(path, options);
    const hash = startHash(meta);
    this.#drafts.set(draft, { key, meta, path, file, size: 0, hash });
    await file.seek(HEADER_BYTES, Deno.SeekMode.Start);
  }

  async #append(draft: Draft, bytes: Uint8Array): Promise<void> {
    draft.size += bytes.length;
    if (draft.size > this.#mostBytes) {
      throw new RangeError(
        `it is larger than ${this.#mostBytes} bytes (--memory and --max-files-size, --max-stored-sessions)`,
      );
    }
    this.#checkRoom(0);
    draft.hash.update(bytes);
    await writeAll(draft.file, bytes);
  }

  /** Drafts take no more room than the sessions in their place. */
  #checkRoom(more: number): void {
    let bytes = more;
    for (const { size } of this.#drafts.values()) bytes += HEADER_BYTES + size;
    if (bytes <= this.bounds.totalBytes) return;
    throw new RangeError(
      "those that are being stored take more than --max-stored-sessions",
    );
  }

  /** Puts a draft in its place; gives the keys of sessions that made room for it. */
  async #commit(number: number): Promise<string[]> {
    const { key, meta, path, file, size, hash } = this.#find(number);
    await file.seek(0, Deno.SeekMode.Start);
    const sha256 = hash.digest("hex");
    await writeAll(file, encodeHeader({ meta, size, sha256 }));
    // A file that is in its place is whole even if the machine has stopped.
    await file.sync();
    file.close();
    await Deno.rename(path, this.#pathOf(key));
    // By this time stores tell which session was used least recently. A draft with
    // it would pass for a draft of a store that was killed.
    const used = new Date(meta.used);
    await Deno.utime(this.#pathOf(key), used, used).catch(ignoreAbsent);
    this.#drafts.delete(number);
    await this.#sync();
    return await this.#makeRoom(key);
  }

  async #abort(number: number): Promise<void> {
    const draft = this.#drafts.get(number);
    if (!draft) return;
    this.#drafts.delete(number);
    try {
      draft.file.close();
    } catch {
      // The commit that failed has closed it.
    }
    await Deno.remove(draft.path).catch(ignoreAbsent);
  }

  async #load(key: string, environment: string): Promise<FromStore> {
    const path = this.#pathOf(key);
    try {
      using session = await maybeOpenSession(path, this.bounds.mostBytes);
      if (!session) return { type: "absent" };
      const { meta, size, sha256 } = session;
      if (meta.environment !== environment) {
        throw new TypeError(`it is of the environment ${meta.environment}`);
      }
      await verify(session);
      return { type: "loaded", meta, size, sha256 };
    } catch (error) {
      // It could never be read. A start with other options may read other files.
      if (error instanceof Damage) await Deno.remove(path).catch(() => {});
      throw error;
    }
  }

  async #read({ key, sha256, offset }: ToStore & { type: "read" }) {
    using session = await maybeOpenSession(
      this.#pathOf(key),
      this.bounds.mostBytes,
    );
    if (session?.sha256 === sha256) return await session.read(offset);
    throw new TypeError("another server has replaced or removed it meanwhile");
  }

  /** Removes the sessions that were used least recently, as long as all are too much. */
  async #makeRoom(latest: string): Promise<string[]> {
    const stored = await listSessions(this.folder);
    let bytes = stored.reduce((sum, { bytes }) => sum + bytes, 0);
    const dropped: string[] = [];
    for (const { key, ...file } of stored) {
      if (bytes <= this.bounds.totalBytes) break;
      if (key === latest) continue;
      await Deno.remove(this.#pathOf(key)).catch(ignoreAbsent);
      bytes -= file.bytes;
      dropped.push(key);
    }
    return dropped;
  }

  /** Has the disk keep the folder's new names, where the system can. */
  async #sync(): Promise<void> {
    if (Deno.build.os === "windows") return;
    using folder = await Deno.open(this.folder);
    await folder.sync();
  }

  #find(number: number): Draft {
    const draft = this.#drafts.get(number);
    if (draft) return draft;
    throw new TypeError("its draft is gone: the store has started anew");
  }

  #pathOf(key: string): string {
    return join(this.folder, `${key}.session`);
  }
}

/** The sessions of a folder, the least recently used first. */
export async function listSessions(
  folder: string,
): Promise<{ key: string; bytes: number; used: Date }[]> {
  const stored = [];
  for await (const { name } of Deno.readDir(folder)) {
    const [, key] = SESSION.exec(name) ?? [];
    // Another store may have removed it.
    const file = key &&
      await Deno.lstat(join(folder, name)).catch(ignoreAbsent);
    if (key && file && file.isFile) {
      const used = file.mtime ?? new Date(0);
      stored.push({ key, bytes: file.size, used });
    }
  }
  return stored.sort((one, other) => Number(one.used) - Number(other.used));
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    at += await file.write(bytes.subarray(at));
  }
}
