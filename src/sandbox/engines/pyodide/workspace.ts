/**
 * The files of a run: puts them into its working folder before, and finds what
 * it wrote there after.
 *
 * @module
 */
import type { FromWorker } from "../../../protocol/messages.ts";
import { roomOfFile } from "./backlog.ts";
import type { RunFile } from "../../../protocol/run_files.ts";
import { foldersOf, LONGEST_PATH } from "../../../protocol/workspace_path.ts";

const ROOT = "/workspace";
/** Bytes of a message: at most what the host takes (`PIECE_BYTES`). */
const PIECE_BYTES = 1 << 19;
const KIND = 0o170000;
const FOLDER = 0o040000;
const FILE = 0o100000;
/** Error number of Emscripten's C library. */
const EEXIST = 20;

/** What of Emscripten's `FS` this uses. */
export interface EmscriptenFS {
  mkdir(path: string): void;
  writeFile(path: string, bytes: Uint8Array, options: object): void;
  utime(path: string, atimeMs: number, mtimeMs: number): void;
  lookupPath(path: string, options: object): { node: Node };
}

interface Node {
  mode: number;
  // deno-lint-ignore camelcase -- Emscripten's name
  node_ops: { getattr(node: Node): { mtime: Date } };
  /** Of a folder, what is in it; of a file, its storage. */
  contents?: Record<string, Node> | Uint8Array | Int8Array | null;
  usedBytes?: number;
}

/** A run's working folder. */
export interface Workspace {
  /** Puts files there; throws if there is no room. */
  put(files: RunFile[]): void;
  /** Sends what is new or changed since, and what is gone. */
  send(): void;
}

/** Opens the working folder of this interpreter. */
export function openWorkspace(
  fs: EmscriptenFS,
  takeRoom: (size: number) => void,
  post: (message: FromWorker, transfer?: Transferable[]) => void,
): Workspace {
  const known = new Map<string, { node: Node; mtime: number }>();
  return { put, send };

  function put(files: RunFile[]): void {
    if (files.length === 0) return;
    // In the past: nothing that is written from now on can have it.
    const mtime = Math.floor(Date.now() / 1000 - 1) * 1000;
    const made = new Set<string>();
    for (const { path, bytes } of files) {
      const place = `${ROOT}/${path}`;
      // Each once: for Emscripten a deep path is slow, and a run can have many.
      for (const folder of foldersOf(path)) {
        if (!made.has(folder)) makeFolder(`${ROOT}/${folder}`);
        made.add(folder);
      }
      fs.writeFile(place, bytes, { canOwn: true });
      fs.utime(place, mtime, mtime);
      known.set(path, { node: fs.lookupPath(place, {}).node, mtime });
    }
  }

  function makeFolder(place: string): void {
    try {
      fs.mkdir(place);
    } catch (error) {
      if (Reflect.get(Object(error), "errno") !== EEXIST) throw error;
    }
  }

  function send(): void {
    for (const [path, node] of filesBelow(rootOf(fs))) {
      const before = known.get(path);
      known.delete(path);
      if (before?.node !== node || before.mtime !== mtimeOf(node)) {
        sendFile(path, node);
      }
    }
    for (const path of known.keys()) {
      takeRoom(roomOfFile());
      post({ type: "removed", path });
    }
  }

  function sendFile(path: string, { contents, usedBytes: size = 0 }: Node) {
    let at = 0;
    do {
      const length = Math.min(PIECE_BYTES, size - at);
      const bytes = ArrayBuffer.isView(contents)
        ? new Uint8Array(contents.buffer, contents.byteOffset + at, length)
          .slice()
        : new Uint8Array();
      takeRoom(roomOfFile(bytes));
      post({ type: "file", path, size, bytes }, [bytes.buffer]);
      at += length;
    } while (at < size);
  }
}

/** Its folder; the code may have put anything in its place. */
function rootOf(fs: EmscriptenFS): Node | undefined {
  try {
    return fs.lookupPath(ROOT, { follow: false }).node;
  } catch {
    return undefined;
  }
}

/**
 * Regular files, with their paths; links are not followed, nor paths that are
 * longer than any message may have.
 */
function* filesBelow(root: Node | undefined): Generator<[string, Node]> {
  const folders: [path: string, node: Node][] = root ? [["", root]] : [];
  for (let next; (next = folders.pop());) {
    const [folder, { mode, contents }] = next;
    if ((mode & KIND) !== FOLDER || !contents || ArrayBuffer.isView(contents)) {
      continue;
    }
    for (const [name, node] of Object.entries(contents)) {
      const path = folder === "" ? name : `${folder}/${name}`;
      if (path.length > LONGEST_PATH) continue;
      if ((node.mode & KIND) === FILE) yield [path, node];
      else folders.push([path, node]);
    }
  }
}

function mtimeOf(node: Node): number {
  return node.node_ops.getattr(node).mtime.getTime();
}
