import type { RunFile } from "../../protocol/run_files.ts";
import { folderOf } from "../../protocol/workspace_path.ts";
import type { Item, Share } from "../../shares.ts";
import type { KeptFile } from "../../results/result_files.ts";
import { toOwnId } from "../own_id.ts";

/** Bytes that a file takes beside its contents. */
const OVERHEAD = 1024;

/** Runs of all stores, in their order. */
let runs = 0;
const MOST_RUNS = 1e12;

/** The files of a run. */
interface KeptRun extends Item {
  /** By path. */
  files: Map<string, KeptFile>;
}

/** Keeps the files that runs wrote, for their owner alone, while there is room. */
export class FileStore {
  /**
   * By id, the oldest first. An address is not a key: V8 hashes a string of over
   * 16,383 characters by its length only.
   */
  #runs = new Map<string, KeptRun>();

  /** @param server The name of this server among several. */
  constructor(private share: Share, private server?: string) {}

  /** Keeps the files of a run; a file that does not fit gets no address. */
  add(owner: string, files: readonly RunFile[]): KeptFile[] {
    if (files.length === 0) return [];
    // The address is the only key to a file.
    const id = toOwnId(this.server);
    const toUri = uriWriter(`run-python://${id}`);
    let isOpen = true;
    const kept: KeptRun = {
      caller: owner,
      amount: 0,
      files: new Map(),
      rest: () => isOpen ? "used" : "idle",
      giveWay: () => void this.#runs.delete(id),
    };
    this.share.hold(kept);
    const run = String(MOST_RUNS - runs++).padStart(13, "0");
    const all = files.map((file, at): KeptFile => {
      const uri = toUri(file.path);
      // A character takes at most two bytes in a path, and a byte in an address.
      const size = file.bytes.length + 2 * file.path.length + uri.length +
        OVERHEAD;
      if (!this.share.resize(kept, kept.amount + size)) return file;
      const order = `${run}.${String(at).padStart(6, "0")}`;
      const one = { ...file, uri, order };
      kept.files.set(one.path, one);
      return one;
    });
    isOpen = false;
    if (kept.files.size > 0) this.#runs.set(id, kept);
    else this.share.drop(kept);
    return all;
  }

  /** The owner's file of this address; undefined if it was dropped. */
  get(owner: string, uri: string): KeptFile | undefined {
    const [start = "", id = ""] = /^run-python:\/\/([^/]+)\//.exec(uri) ?? [];
    const path = maybeDecode(uri.slice(start.length));
    const run = this.#runs.get(id);
    const file = run?.caller === owner ? run.files.get(path) : undefined;
    return file?.uri === uri ? file : undefined;
  }

  /** All files of an owner, the newest run's first. */
  list(owner: string): KeptFile[] {
    return [...this.#runs.values()].reverse()
      .filter(({ caller }) => caller === owner)
      .flatMap(({ files }) => [...files.values()]);
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
