import { ERRNO, FILE, FOLDER, KIND } from "../../shared/emscripten_fs.ts";
import type { Post } from "../../shared/backlog.ts";
import type { RunFile } from "../../../protocol/run_files.ts";
import { firstOf } from "../../../results/result_files.ts";
import { folderOf, MOST_FOLDERS } from "../../../protocol/workspace_path.ts";
import {
  LEFT_OUT,
  shown,
  toLeftOut,
  whyNoFolder,
  whyNoPath,
} from "../../shared/left_out.ts";

const ROOT = "/workspace";
/** Bytes of a message: at most those that the host takes (`PIECE_BYTES`). */
const PIECE_BYTES = 1 << 19;

/** The part of Emscripten's `FS` that this uses. */
export interface EmscriptenFS {
  mkdir(path: string): void;
  writeFile(path: string, bytes: Uint8Array, options: object): void;
  unlink(path: string): void;
  utime(path: string, atimeMs: number, mtimeMs: number): void;
  lookupPath(path: string, options: object): { node: Node };
}

interface Node {
  mode: number;
  parent?: Node;
  // deno-lint-ignore camelcase -- Emscripten's name
  node_ops: { getattr(node: Node): { mtime: Date } };
  /** Of a folder, its nodes; of a file, its storage. */
  contents?: Record<string, Node> | Uint8Array | Int8Array | null;
  usedBytes?: number;
}

/**
 * Opens the working folder of this interpreter: files are put there before a run,
 * and the files that the run wrote are sent after it.
 */
export function openWorkspace(fs: EmscriptenFS, post: Post) {
  const known = new Map<string, { node: Node; mtime: number }>();
  const forget = () => known.clear();
  return { put, write, remember, forget, send, list, read };

  /** Puts files there; leaves out files that do not fit, and names them on stderr. */
  function put(files: RunFile[]): void {
    tell(toLeftOut("Not put into /workspace", write(files)));
  }

  /** Puts files there; gives a line for each file that does not fit. */
  function write(files: RunFile[]): string[] {
    // In the past: nothing that is written from now on can have it.
    const mtime = Math.floor(Date.now() / 1000 - 1) * 1000;
    const made = new Set([""]);
    const leftOut: string[] = [];
    for (const { path, bytes } of files) {
      const place = `${ROOT}/${path}`;
      try {
        makeFolders(folderOf(path), made);
        fs.writeFile(place, bytes, { canOwn: true });
        fs.utime(place, mtime, mtime);
        known.set(path, { node: fs.lookupPath(place, {}).node, mtime });
      } catch (error) {
        leftOut.push(`${shown(path)}: ${reasonOf(error)}`);
        // Else half of it would come back as a file that the run wrote.
        if (!known.has(path)) maybeUnlink(place);
      }
    }
    return leftOut;
  }

  /** Each once: for Emscripten a deep path is slow, and a run can have many. */
  function makeFolders(folder: string, made: Set<string>): void {
    if (made.has(folder)) return;
    makeFolders(folderOf(folder), made);
    try {
      fs.mkdir(`${ROOT}/${folder}`);
    } catch (error) {
      if (errnoOf(error) !== ERRNO.EEXIST) throw error;
    }
    made.add(folder);
  }

  function maybeUnlink(place: string): void {
    try {
      fs.unlink(place);
    } catch {
      // Nothing was made.
    }
  }

  /** Counts the files that are there as sent: those of a restored session. */
  function remember(): void {
    for (const [path, node] of filesBelow(rootOf(fs), [])) {
      known.set(path, { node, mtime: mtimeOf(node) });
    }
  }

  /**
   * Sends the files that are new or changed since they were put or sent, and the
   * paths of those that are gone; names on stderr the files that cannot be sent.
   */
  function send(): void {
    const leftOut: string[] = [];
    const before = new Map(known);
    known.clear();
    for (const [path, node] of filesBelow(rootOf(fs), leftOut)) {
      const was = before.get(path);
      before.delete(path);
      const mtime = mtimeOf(node);
      known.set(path, { node, mtime });
      if (was?.node !== node || was.mtime !== mtime) sendFile(path, node);
    }
    for (const path of before.keys()) post({ type: "removed", path });
    tell(toLeftOut("Not sent back from /workspace", leftOut));
  }

  /** The first files after a path, in the order of their paths, and the count of all. */
  function list(
    { after, most, room }: { after: string; most: number; room: number },
  ) {
    const all = [...filesBelow(rootOf(fs), [])]
      .sort(([a], [b]) => a < b ? -1 : 1);
    const rest = all.filter(([path]) => path > after)
      .map(([path, node]) => ({ path, node }));
    const files = firstOf(rest, { count: most, room })
      .map(({ path, node }) => ({
        path,
        size: node.usedBytes ?? 0,
        modifiedMs: mtimeOf(node),
      }));
    return { files, count: all.length, hasMore: files.length < rest.length };
  }

  /**
   * Reads a part of a file; links are followed within the folder.
   *
   * @throws {RangeError} If it is not a file there.
   */
  function read(
    { path, offset, limit }: { path: string; offset: number; limit: number },
  ) {
    const node = maybeNode(path);
    if (!node) {
      throw new RangeError(
        `There is no file ${
          shown(path)
        } in /workspace: list_files shows what there is.`,
      );
    }
    const { mode, contents, usedBytes: size = 0 } = node;
    if ((mode & KIND) !== FILE || !isBelow(node, rootOf(fs))) {
      const kind = (mode & KIND) === FOLDER ? "a folder" : "not a file of it";
      throw new RangeError(
        `Cannot read ${
          shown(path)
        } of /workspace as it is ${kind}: list_files shows what there is.`,
      );
    }
    const bytes = ArrayBuffer.isView(contents)
      ? new Uint8Array(contents.buffer, contents.byteOffset, size)
      : new Uint8Array();
    return { size, base64: bytes.slice(offset, offset + limit).toBase64() };
  }

  function maybeNode(path: string): Node | undefined {
    try {
      return fs.lookupPath(`${ROOT}/${path}`, { follow: true }).node;
    } catch {
      return undefined;
    }
  }

  function tell(text: string): void {
    if (text !== "") post({ type: "output", stream: "stderr", text });
  }

  function sendFile(path: string, { contents, usedBytes: size = 0 }: Node) {
    let at = 0;
    do {
      const length = Math.min(PIECE_BYTES, size - at);
      const bytes = ArrayBuffer.isView(contents)
        ? new Uint8Array(contents.buffer, contents.byteOffset + at, length)
          .slice()
        : new Uint8Array();
      post({ type: "file", path, size, bytes }, [bytes.buffer]);
      at += length;
    } while (at < size);
  }
}

function mtimeOf(node: Node): number {
  return node.node_ops.getattr(node).mtime.getTime();
}

/** The folder itself; the code may have put anything in its place. */
function rootOf(fs: EmscriptenFS): Node | undefined {
  try {
    return fs.lookupPath(ROOT, { follow: false }).node;
  } catch {
    return undefined;
  }
}

/** Whether a node is in a folder, and not in a mount. */
function isBelow(node: Node, folder: Node | undefined): boolean {
  let above: Node | undefined = node;
  // Bounded, as code can have put a folder into itself.
  for (let left = MOST_FOLDERS; left >= 0 && above; left--) {
    above = above.parent;
    if (above === folder) return folder !== undefined;
  }
  return false;
}

/**
 * Regular files, with their paths; links are not followed. A folder is looked
 * into once: code can have put it into itself.
 */
function* filesBelow(
  root: Node | undefined,
  leftOut: string[],
): Generator<[string, Node]> {
  // The depth of a folder is the number of folders that a file in it is in.
  const folders = root ? [{ path: "", node: root, depth: 0 }] : [];
  const seen = new Set<Node>();
  for (let next; (next = folders.pop());) {
    const { path: folder, node: { mode, contents }, depth } = next;
    if ((mode & KIND) !== FOLDER || !contents || ArrayBuffer.isView(contents)) {
      continue;
    }
    if (seen.has(next.node)) continue;
    seen.add(next.node);
    const tooDeep = whyNoFolder(folder, depth);
    if (tooDeep !== undefined) {
      leftOut.push(tooDeep);
      continue;
    }
    for (const [name, node] of Object.entries(contents)) {
      const path = folder === "" ? name : `${folder}/${name}`;
      if ((node.mode & KIND) !== FILE) {
        folders.push({ path, node, depth: depth + 1 });
        continue;
      }
      const reason = whyNoPath(path);
      if (reason === undefined) yield [path, node];
      else leftOut.push(reason);
    }
  }
}

function reasonOf(error: unknown): string {
  if (errnoOf(error) === ERRNO.ENOSPC) {
    return LEFT_OUT.noRoom;
  }
  if ([ERRNO.EISDIR, ERRNO.ENOTDIR].some((no) => errnoOf(error) === no)) {
    return LEFT_OUT.bothKinds;
  }
  return error instanceof Error ? error.message : `${error}`;
}

function errnoOf(error: unknown): unknown {
  return Reflect.get(Object(error), "errno");
}
