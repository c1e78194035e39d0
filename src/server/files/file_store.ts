import type { RunFile } from "../../protocol/run_files.ts";
import { folderOf } from "../../protocol/workspace_path.ts";
import type { KeptFile } from "../../results/result_files.ts";

/** Bytes that a file takes beside its contents. */
const OVERHEAD = 1024;

/** Runs of all stores, in their order. */
let runs = 0;
const MOST_RUNS = 1e12;

interface KeptRun {
  /** By path. */
  files: Map<string, KeptFile>;
  bytes: number;
}

interface Kept {
  /**
   * By id, the oldest first. An address is not a key: V8 hashes a string of over
   * 16,383 characters by its length only.
   */
  runs: Map<string, KeptRun>;
  bytes: number;
}

/**
 * Keeps the files that runs wrote, for their owner alone. When there are too many,
 * the oldest run's files go, of the owner that has most: an owner keeps what is
 * within its share.
 */
export class FileStore {
  /** By name of their owner; an owner without files is not there. */
  #owners = new Map<string, Kept>();

  constructor(private maxBytes: number) {}

  /** Keeps the files of a run; a file that does not fit gets no address. */
  add(owner: string, files: readonly RunFile[]): KeptFile[] {
    if (files.length === 0) return [];
    // The address is the only key to a file.
    const id = crypto.randomUUID();
    const toUri = uriWriter(`run-python://${id}`);
    const kept = new Map<string, KeptFile>();
    const most = this.#mostFor(owner);
    let bytes = 0;
    const run = String(MOST_RUNS - runs++).padStart(13, "0");
    const all = files.map((file, at): KeptFile => {
      const uri = toUri(file.path);
      // A character takes at most two bytes in a path, and a byte in an address.
      const size = file.bytes.length + 2 * file.path.length + uri.length +
        OVERHEAD;
      if (bytes + size > most) return file;
      bytes += size;
      const order = `${run}.${String(at).padStart(6, "0")}`;
      const one = { ...file, uri, order };
      kept.set(one.path, one);
      return one;
    });
    if (kept.size === 0) return all;
    this.#makeRoom(owner, bytes);
    const own = this.#owners.get(owner) ?? { runs: new Map(), bytes: 0 };
    own.runs.set(id, { files: kept, bytes });
    own.bytes += bytes;
    this.#owners.set(owner, own);
    return all;
  }

  /** The owner's file of this address; undefined if it was dropped. */
  get(owner: string, uri: string): KeptFile | undefined {
    const [start = "", id = ""] = /^run-python:\/\/([^/]+)\//.exec(uri) ?? [];
    const path = maybeDecode(uri.slice(start.length));
    const file = this.#owners.get(owner)?.runs.get(id)?.files.get(path);
    return file?.uri === uri ? file : undefined;
  }

  /** All files of an owner, the newest run's first. */
  list(owner: string): KeptFile[] {
    return [...this.#owners.get(owner)?.runs.values() ?? []].reverse()
      .flatMap(({ files }) => [...files.values()]);
  }

  /** The bytes that others do not hold within their shares. */
  #mostFor(owner: string): number {
    const others = [...this.#owners].filter(([name]) => name !== owner);
    const share = this.maxBytes / (others.length + 1);
    return others.reduce(
      (room, [, { bytes }]) => room - Math.min(bytes, share),
      this.maxBytes,
    );
  }

  #makeRoom(owner: string, bytes: number): void {
    const wanted = ([name, kept]: [string, Kept]) =>
      kept.bytes + (name === owner ? bytes : 0);
    while (true) {
      const all = [...this.#owners];
      const held = all.reduce((sum, [, kept]) => sum + kept.bytes, bytes);
      if (held <= this.maxBytes || all.length === 0) return;
      const [name, kept] = all.reduce((most, one) =>
        wanted(one) > wanted(most) ? one : most
      );
      const [[id, run] = ["", undefined]] = kept.runs;
      kept.runs.delete(id);
      kept.bytes -= run?.bytes ?? 0;
      if (kept.runs.size === 0) this.#owners.delete(name);
    }
  }
}

function maybeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

/** Writes the addresses of paths, and encodes each folder once. */
function uriWriter(start: string): (path: string) => string {
  const folders = new Map([["", start]]);
  return function toUri(path): string {
    const folder = folderOf(path);
    const above = folders.get(folder) ?? toUri(folder);
    folders.set(folder, above);
    const name = path.slice(path.lastIndexOf("/") + 1);
    return `${above}/${encodeURIComponent(name)}`;
  };
}
