import {
  FIRST_FD,
  isInRoots,
  type SavedFile,
  type SavedFiles,
  type SavedStream,
} from "../../checkpoint_format.ts";
import {
  type EmscriptenFS,
  FILE,
  FOLDER,
  KIND,
  type Node,
  type Stream,
} from "../../../shared/emscripten_fs.ts";

const LINK = 0o120000;
const DEVICE = 0o020000;
const MODES = 0o7777;
const MOST_NAMED = 3;
/** The path of a file that has none any more. */
const DELETED = "/tmp/.deleted";

/** The part of Emscripten's `FS` that is for this file alone. */
export interface SessionFS extends EmscriptenFS {
  nextInode: number;
  getPath(node: Node): string | null;
  lookupPath(path: string, options: object): { node: Node };
  cwd(): string;
  mkdir(path: string, mode: number): void;
  rmdir(path: string): void;
  unlink(path: string): void;
  symlink(target: string, path: string): void;
  writeFile(path: string, bytes: Uint8Array, options: object): void;
  chmod(path: string, mode: number): void;
  utime(path: string, atime: number, mtime: number): void;
  open(path: string, flags: number): OpenStream;
  dupStream(stream: object, fd: number): object;
}

interface OpenStream extends Stream {
  fd: number;
  path?: string;
}

/** Files that each interpreter has, with their times. */
export type Inventory = Map<Node, { path: string; mtime: number }>;

export function takeInventory(fs: SessionFS): Inventory {
  const entries = [...nodesOf(fs)].map(([node, path]) =>
    [node, { path, mtime: timeOf(node) }] as const
  );
  return new Map(entries);
}

/** Nodes of the streams of Python itself, which each start opens. */
export function standardNodes({ streams }: SessionFS) {
  return streams.slice(0, FIRST_FD).map((stream) => stream?.node);
}

/** Nodes with their paths; those of sockets have none. */
function* nodesOf(fs: SessionFS): Generator<[Node, path: string]> {
  for (const first of fs.nameTable) {
    for (let node = first; node; node = node.name_next) {
      const path = maybePath(fs, node);
      if (path) yield [node, path];
    }
  }
}

/** Pipes and sockets have none. */
function maybePath(fs: SessionFS, node: Node): string | undefined {
  try {
    return fs.getPath(node) ?? undefined;
  } catch {
    return undefined;
  }
}

/** In milliseconds, under the names of two Emscriptens. */
function timeOf(node: Node): number {
  const time = Reflect.get(node, "mtime") ?? Reflect.get(node, "timestamp");
  return Math.max(Number(time) || 0, 0);
}

/**
 * Finds all that differs from a fresh interpreter's files; reads them as they lie
 * in memory, as opening a file would change it.
 */
export function saveFiles(
  fs: SessionFS,
  { inventory, standard, reasons }: {
    inventory: Inventory;
    standard: ReturnType<typeof standardNodes>;
    reasons: string[];
  },
): { saved: SavedFiles; contents: Uint8Array[] } {
  const { ops_table: ops } = fs.filesystems.MEMFS;
  const inMemory = new Set<object>(
    [ops.file, ops.dir, Reflect.get(ops, "link")].map(({ node }) => node),
  );
  const now = new Map<Node, string>();
  const found: { file: SavedFile; bytes?: Uint8Array }[] = [];
  const outside: string[] = [];
  for (const [node, path] of nodesOf(fs)) {
    now.set(node, path);
    const was = inventory.get(node);
    // The rest is the image's, a device's or a mount's.
    if (!inMemory.has(node.node_ops) && (node.mode & KIND) !== LINK) continue;
    const mtime = timeOf(node);
    if (was && was.mtime === mtime && was.path === path) continue;
    const kind = node.mode & KIND;
    if (!isInRoots(path)) {
      const matters = kind !== FOLDER && !path.includes("/__pycache__/");
      if (matters) outside.push(path);
      continue;
    }
    const file = { path, mode: node.mode & MODES, mtime };
    if (kind === FOLDER) found.push({ file });
    else if (kind === LINK) {
      found.push({
        file: { ...file, link: String(Reflect.get(node, "link")) },
      });
    } else if (kind === FILE) {
      const bytes = bytesOf(node);
      found.push({
        file: { ...file, size: bytes.length, ino: node.id },
        bytes,
      });
    } else outside.push(path);
  }
  if (outside.length > 0) {
    reasons.push(
      `files outside of /workspace, /tmp and /home were made or changed: ${
        outside.slice(0, MOST_NAMED).join(", ")
      }`,
    );
  }
  const removed = [...inventory].flatMap(([node, { path }]) =>
    isInRoots(path) && now.get(node) !== path ? path : []
  );
  found.sort(({ file: a }, { file: b }) => a.path < b.path ? -1 : 1);
  const { streams, deleted } = saveStreams(fs, { now, standard, reasons });
  const contents = [...found.flatMap(({ bytes }) => bytes ?? []), ...deleted];
  const files = found.map(({ file }) => file);
  return { saved: { files, removed, streams, cwd: fs.cwd() }, contents };
}

function saveStreams(
  fs: SessionFS,
  { now, standard, reasons }: {
    now: ReadonlyMap<Node, string>;
    standard: ReturnType<typeof standardNodes>;
    reasons: string[];
  },
): { streams: SavedStream[]; deleted: Uint8Array[] } {
  const { ops_table: { file: { stream: ops } } } = fs.filesystems.MEMFS;
  const streams: SavedStream[] = [];
  const deleted: Uint8Array[] = [];
  const first = new Map<object, number>();
  for (const [fd, it] of fs.streams.entries()) {
    if (fd < FIRST_FD) {
      if (it?.node === standard[fd]) continue;
      reasons.push(`the standard stream ${fd} was replaced`);
    }
    if (!it) continue;
    const { node, flags, position, shared } = it as OpenStream;
    const kind = node.mode & KIND;
    const isFile = kind === FILE && it.stream_ops === ops;
    if (!isFile && kind !== DEVICE && kind !== FOLDER && !isImage(fs, node)) {
      reasons.push(
        `a pipe, a socket or a file of a mount is open: descriptor ${fd}`,
      );
      continue;
    }
    const same = first.get(shared);
    first.set(shared, same ?? fd);
    const isDeleted = isFile && !now.has(node);
    const bytes = same === undefined && isDeleted ? bytesOf(node) : undefined;
    if (bytes) deleted.push(bytes);
    streams.push({
      fd,
      flags,
      position,
      path: !isDeleted && maybePath(fs, node) || DELETED,
      ...(same === undefined ? {} : { same }),
      ...(bytes ? { deleted: bytes.length } : {}),
    });
  }
  return { streams, deleted };
}

/** Files of the image are below `/lib`, where no folder of the machine is. */
function isImage(fs: SessionFS, node: Node): boolean {
  return maybePath(fs, node)?.startsWith("/lib/") === true;
}

function bytesOf({ contents, usedBytes = 0 }: Node): Uint8Array {
  return ArrayBuffer.isView(contents)
    ? new Uint8Array(contents.buffer, contents.byteOffset, usedBytes)
    : new Uint8Array();
}

/** Puts saved files into a fresh interpreter, whose inventory was taken. */
export function restoreFiles(
  fs: SessionFS,
  { files, removed, streams }: SavedFiles,
  body: Uint8Array,
): void {
  let at = body.length - files.reduce((sum, { size = 0 }) => sum + size, 0) -
    streams.reduce((sum, { deleted = 0 }) => sum + deleted, 0);
  const take = (size: number) => body.slice(at, at += size);
  // The entries of a folder go before the folder.
  for (const path of removed.toSorted().reverse()) {
    const { node } = fs.lookupPath(path, { follow: false });
    if ((node.mode & KIND) === FOLDER) fs.rmdir(path);
    else fs.unlink(path);
  }
  for (const { path, mode, size, ino, link } of files) {
    if (link !== undefined) fs.symlink(link, path);
    else if (size !== undefined) {
      fs.writeFile(path, take(size), { canOwn: true });
      fs.chmod(path, mode);
      if (ino !== undefined) renumber(fs, path, ino);
    } else if (!exists(fs, path)) fs.mkdir(path, mode);
    else fs.chmod(path, mode);
  }
  for (const stream of streams) restoreStream(fs, stream, take);
  // Last, as a file that is put into a folder changes it.
  for (const { path, mtime, link } of files) {
    if (link === undefined) fs.utime(path, mtime, mtime);
  }
}

/** Gives a file its number back; no later file gets the same. */
function renumber(fs: SessionFS, path: string, ino: number): void {
  fs.lookupPath(path, { follow: false }).node.id = ino;
  fs.nextInode = Math.max(fs.nextInode, ino + 1);
}

function restoreStream(
  fs: SessionFS,
  { fd, path, flags, position, same, deleted }: SavedStream,
  take: (size: number) => Uint8Array,
): void {
  const copied = same === undefined ? undefined : fs.streams[same];
  if (copied) return void fs.dupStream(copied, fd);
  const place = deleted === undefined ? path : `${DELETED}-${fd}`;
  if (deleted !== undefined) fs.writeFile(place, take(deleted), {});
  const opened = fs.open(place, flags);
  if (deleted !== undefined) fs.unlink(place);
  fs.streams[opened.fd] = null;
  fs.streams[fd] = opened;
  opened.fd = fd;
  opened.position = position;
  opened.flags = flags;
}

function exists(fs: SessionFS, path: string): boolean {
  try {
    fs.lookupPath(path, { follow: false });
    return true;
  } catch {
    return false;
  }
}
