import type { RunFile } from "../../protocol/run_files.ts";
import { folderOf } from "../../protocol/workspace_path.ts";
import type { KeptFile } from "../../results/result_files.ts";

/** Bytes that a file takes beside its contents. */
const OVERHEAD = 1024;

/**
 * Keeps the files that runs wrote until their connection ends. The oldest run's
 * files go first when there are too many.
 */
export class FileStore {
  /**
   * Files by id and path, the oldest run first. An address is not a key: V8
   * hashes a string of over 16,383 characters by its length only.
   */
  #runs = new Map<string, { files: Map<string, KeptFile>; bytes: number }>();
  #bytes = 0;

  constructor(private maxBytes: number) {}

  /** Keeps the files of a run; a file that does not fit gets no address. */
  add(files: readonly RunFile[]): KeptFile[] {
    if (files.length === 0) return [];
    // The address is the only key to a file.
    const id = crypto.randomUUID();
    const toUri = uriWriter(`run-python://${id}`);
    const kept = new Map<string, KeptFile>();
    let bytes = 0;
    const all = files.map((file): KeptFile => {
      const uri = toUri(file.path);
      const size = sizeOf(file, uri);
      if (bytes + size > this.maxBytes) return file;
      bytes += size;
      const one = { ...file, uri };
      kept.set(one.path, one);
      return one;
    });
    if (kept.size === 0) return all;
    this.#makeRoom(bytes);
    this.#bytes += bytes;
    this.#runs.set(id, { files: kept, bytes });
    return all;
  }

  /** The file of this address; undefined if it was dropped. */
  get(uri: string): KeptFile | undefined {
    const [start = "", id = ""] = /^run-python:\/\/([^/]+)\//.exec(uri) ?? [];
    const path = maybeDecode(uri.slice(start.length));
    const file = this.#runs.get(id)?.files.get(path);
    return file?.uri === uri ? file : undefined;
  }

  /** All files, the newest run's first. */
  list(): KeptFile[] {
    return [...this.#runs.values()].reverse()
      .flatMap(({ files }) => [...files.values()]);
  }

  #makeRoom(bytes: number): void {
    for (const [id, run] of this.#runs) {
      if (this.#bytes + bytes <= this.maxBytes) return;
      this.#runs.delete(id);
      this.#bytes -= run.bytes;
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

/** A character takes at most two bytes in a path, and a byte in an address. */
function sizeOf({ path, bytes }: RunFile, uri: string): number {
  return bytes.length + 2 * path.length + uri.length + OVERHEAD;
}

/** Writes the addresses of paths, and encodes each folder once. */
function uriWriter(start: string): (path: string) => string {
  const folders = new Map([["", start]]);
  return function toUri(path): string {
    const folder = folderOf(path);
    const above = folders.get(folder) ?? toUri(folder);
    folders.set(folder, above);
    return `${above}/${
      encodeURIComponent(path.slice(path.lastIndexOf("/") + 1))
    }`;
  };
}
