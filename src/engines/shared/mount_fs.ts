/**
 * A file system over a folder of this machine: it reads files on demand.
 *
 * Deno checks a path as it is written, and then follows symbolic links wherever
 * they lead. So this module hands Deno real paths only, and looks them up each
 * time: Python sees the target of a link only under the target's own path within
 * the mount.
 *
 * Only this module refers to Deno's functions, open files and real paths: no object
 * that Emscripten, and so Python, can reach has a reference to them.
 *
 * @module
 */
import type { Mount } from "../../grants/mounts.ts";
import {
  type EmscriptenFS,
  ERRNO,
  FILE,
  FOLDER,
  KIND,
  LINK,
  type Node,
  type Part,
  type Stream,
} from "./emscripten_fs.ts";

// Taken before the doors are closed.
const { chmodSync, lstatSync, mkdirSync, openSync, readDirSync } = Deno;
const { realPathSync, removeSync, renameSync, truncateSync, utimeSync } = Deno;
const { isView } = ArrayBuffer;
const { os } = Deno.build;
const SEPARATOR = os === "windows" ? "\\" : "/";
const HAS_MODES = os !== "windows";

const SYSTEM = Object.freeze({ build: Object.freeze({ os }) });
let system: typeof SYSTEM | undefined;

/** The part of the global `Deno` that Deno reads itself; undefined while Python runs. */
export function systemAtWork(): typeof SYSTEM | undefined {
  return system;
}

const WRITE_BITS = 0o222;
/** The bits of a stream's flags that are 0 to read, 1 to write, 2 for both. */
const ACCESS = 3;
const LONGEST_NAME = 255;

/** Error numbers by the codes and names of Deno's errors. */
const ERRORS = new Map<unknown, number>([
  ...Object.entries(ERRNO),
  ["AlreadyExists", ERRNO.EEXIST],
  ["FilesystemLoop", ERRNO.ELOOP],
  ["IsADirectory", ERRNO.EISDIR],
  ["NotADirectory", ERRNO.ENOTDIR],
  ["NotCapable", ERRNO.EACCES],
  ["NotFound", ERRNO.ENOENT],
  ["PermissionDenied", ERRNO.EACCES],
]);

/** The place of a node; only this module can change it. */
interface Entry {
  parent: Entry | undefined;
  name: string;
}

interface Open {
  file: Deno.FsFile;
  /** The offset of the next read or write. */
  at: number;
  users: number;
}

/** Attributes to set; times are in milliseconds, under the names of two Emscriptens. */
interface Change {
  mode?: number;
  size?: number;
  timestamp?: number;
  atime?: number;
  mtime?: number;
}

/** The part of Emscripten that this needs: any engine can play it. */
export type FolderHost =
  & Pick<
    EmscriptenFS,
    "createNode" | "lookupNode" | "hashRemoveNode" | "ErrnoError"
  >
  // Only `mmap()` needs files in memory.
  & Partial<Pick<EmscriptenFS, "filesystems">>;

/** A file system: a type for `FS.mount()`, with the operations of its nodes. */
export type FolderFileSystem = ReturnType<typeof folderFileSystem>;

/** Makes a file system type for `FS.mount()`. */
export function folderFileSystem(
  fs: FolderHost,
  { host, guest, isWritable, denied = [] }: Mount,
) {
  const entries = new WeakMap<object, Entry>();
  const files = new WeakMap<object, Open>();
  const root = host.endsWith(SEPARATOR) ? host.slice(0, -1) : host;
  const hidden = denied.filter(({ access }) => access.includes("read"))
    .map(({ host }) => host);

  const nodeOps = {
    getattr(node: Node) {
      return toAttributes(node, () => lstatSync(pathOf(node)));
    },
    lookup(parent: Node, name: string): Node {
      return attempt(() => {
        checkName(name);
        const path = pathIn(parent, name);
        const found = lstatSync(path);
        // On a system that ignores case, the real path has the name as stored.
        const real = found.isSymlink ? path : realPathSync(path);
        const realName = real.slice(real.lastIndexOf(SEPARATOR) + 1);
        return create(parent, name, modeOf(found), realName);
      });
    },
    readdir(node: Node): string[] {
      return [".", "..", ...nodeOps.entries(node).map(({ name }) => name)];
    },
    /** The names in a folder with their kinds, of which a name that is odd has 0. */
    entries(node: Node): { name: string; kind: number }[] {
      return attempt(() => {
        const folder = realOf(node);
        return [...readDirSync(folder)]
          // A name that cannot be looked up would end the whole list.
          .filter(({ name }) => !hidden.includes(folder + SEPARATOR + name))
          .map(({ name, ...is }) => {
            const kind = is.isDirectory ? FOLDER : is.isSymlink ? LINK : 0;
            return { name, kind: is.isFile ? FILE : kind };
          });
      });
    },
    mknod(parent: Node, name: string, mode: number): Node {
      checkName(name);
      return change(() => {
        const path = pathIn(parent, name);
        const bits = { mode: mode & 0o777 };
        if ((mode & KIND) === FOLDER) mkdirSync(path, bits);
        else if ((mode & KIND) === FILE) {
          openSync(path, { write: true, createNew: true, ...bits }).close();
        } else fail("EPERM");
        return create(parent, name, modeOf(lstatSync(path)));
      });
    },
    unlink(parent: Node, name: string): void {
      checkName(name);
      change(() => {
        const path = pathIn(parent, name);
        if (lstatSync(path).isDirectory) fail("EISDIR");
        removeSync(path);
      });
    },
    rmdir(parent: Node, name: string): void {
      checkName(name);
      change(() => {
        const path = pathIn(parent, name);
        if (!lstatSync(path).isDirectory) fail("ENOTDIR");
        removeSync(path);
      });
    },
    rename(node: Node, folder: Node, name: string): void {
      checkName(name);
      change(() => {
        const entry = entryOf(node);
        const parent = entryOf(folder);
        const path = pathOf(node);
        const target = pathIn(folder, name);
        refuseDenied(path);
        refuseDenied(target);
        refuseLinks(path);
        renameSync(path, target);
        forget(folder, name);
        Object.assign(entry, { parent, name });
        Object.assign(node, { parent: folder, name });
      });
    },
    setattr(node: Node, { mode, size, timestamp, ...times }: Change): void {
      change(() => {
        const path = realOf(node);
        refuseShared(lstatSync(path));
        // `chmod` sets the usual bits only, not setuid or setgid.
        if (mode !== undefined) {
          if (HAS_MODES) chmodSync(path, mode & 0o777);
          node.mode = node.mode & KIND | mode & 0o777;
        }
        if (size !== undefined) {
          // Deno would open the file, and wait for the other end of a pipe.
          if (!lstatSync(path).isFile) fail("EINVAL");
          truncateSync(path, size);
        }
        const { atime = timestamp, mtime = timestamp } = times;
        if (atime === undefined && mtime === undefined) return;
        const now = Date.now();
        utimeSync(path, (atime ?? now) / 1000, (mtime ?? now) / 1000);
      });
    },
    // A link could lead other programs out of the mount.
    symlink(): never {
      return fail(isWritable ? "EPERM" : "EROFS");
    },
    readlink(node: Node): string {
      return attempt(() => {
        const target = realPathSync(pathOf(node));
        if (target === root) return guest;
        if (!target.startsWith(root + SEPARATOR)) fail("EACCES");
        const names = target.slice(root.length + 1).split(SEPARATOR);
        return `${guest}/${names.join("/")}`;
      });
    },
  };

  const streamOps = {
    getattr({ node, shared }: Stream) {
      const open = files.get(shared);
      const look = () => open?.file.statSync() ?? lstatSync(pathOf(node));
      return toAttributes(node, look);
    },
    open({ node, flags, shared }: Stream): void {
      if ((node.mode & KIND) === FOLDER) return;
      attempt(() => {
        const path = realOf(node);
        // A device or pipe may have no end, or block its reader for ever.
        const found = lstatSync(path);
        if (!found.isFile) fail("EACCES");
        const access = flags & ACCESS;
        const write = access > 0;
        if (write && !isWritable) fail("EROFS");
        if (write) refuseShared(found);
        const file = openSync(path, { read: access !== 1, write });
        files.set(shared, { file, at: 0, users: 1 });
      });
    },
    dup({ shared }: Stream): void {
      const open = files.get(shared);
      if (open) open.users++;
    },
    close({ shared }: Stream): void {
      const open = files.get(shared);
      if (!open || --open.users > 0) return;
      files.delete(shared);
      attempt(() => open.file.close());
    },
    read({ shared }: Stream, ...part: Part): number {
      return attempt(() => {
        const open = fileOf(shared);
        return transfer(open, part, (rest) => open.file.readSync(rest));
      });
    },
    write({ shared }: Stream, ...part: Part): number {
      return change(() => {
        const open = fileOf(shared);
        return transfer(open, part, (rest) => open.file.writeSync(rest));
      });
    },
    llseek({ shared, position }: Stream, offset: number, whence: number) {
      return attempt(() => {
        const end = () => fileOf(shared).file.statSync().size;
        const from = whence === 2 ? end() : whence === 1 ? position : 0;
        if (!(from + offset >= 0)) fail("EINVAL");
        return from + offset;
      });
    },
    mmap(stream: Stream, length: number, position: number, ...rest: number[]) {
      const contents = new Uint8Array(length);
      streamOps.read(stream, contents, 0, length, position);
      // MEMFS allocates in Python's memory.
      const node = { mode: FILE, contents, usedBytes: length };
      const memfs = fs.filesystems?.MEMFS ?? fail("EINVAL");
      const { mmap } = memfs.ops_table.file.stream;
      return mmap({ node }, length, 0, ...rest);
    },
    msync(stream: Stream, ...[buffer, offset, length]: Part): 0 {
      streamOps.write(stream, buffer, 0, length, offset);
      return 0;
    },
  };

  return {
    mount: (): Node =>
      create(null, "/", attempt(() => modeOf(lstatSync(root)))),
    nodeOps,
    streamOps,
  };

  /**
   * Moves no link: a run that swaps a link with a folder, again and again, could
   * let another run out between this module's check of a path and Deno's.
   */
  function refuseLinks(path: string): void {
    const { isSymlink, isDirectory } = lstatSync(path);
    if (isSymlink) fail("EPERM");
    const folders = isDirectory ? [path] : [];
    for (let folder; (folder = folders.pop()) !== undefined;) {
      for (const { name, ...entry } of readDirSync(folder)) {
        // `shutil.move()` copies after this error.
        if (entry.isSymlink) fail("EXDEV");
        if (entry.isDirectory) folders.push(folder + SEPARATOR + name);
      }
    }
  }

  /**
   * Moves no folder that a denied path is below, nor one to the place of such a folder:
   * Deno compares paths, and the files would have others.
   */
  function refuseDenied(path: string): void {
    const isAround = denied.some((one) =>
      one.host === path || one.host.startsWith(path + SEPARATOR)
    );
    if (isAround) fail("EACCES");
  }

  /** A hard link may be the same file as one outside, such as a package's in a cache. */
  function refuseShared({ isFile, nlink }: Deno.FileInfo): void {
    if (isFile && (nlink ?? 1) > 1) fail("EPERM");
  }

  function create(
    parent: Node | null,
    name: string,
    mode: number,
    realName = name,
  ): Node {
    const node = fs.createNode(parent, name, mode, 0);
    node.node_ops = nodeOps;
    node.stream_ops = streamOps;
    const folder = parent ? entryOf(parent) : undefined;
    entries.set(node, { parent: folder, name: realName });
    return node;
  }

  function entryOf(node: Node): Entry {
    return entries.get(node) ?? fail("EXDEV");
  }

  /** The path of a node; the path of its folder must contain no link. */
  function pathOf(node: Node): string {
    const { parent, name } = entryOf(node);
    return parent ? real(toPath(parent)) + SEPARATOR + name : real(root);
  }

  /** The path of a name in a folder, whose path must contain no link. */
  function pathIn(folder: Node, name: string): string {
    return real(toPath(entryOf(folder))) + SEPARATOR + name;
  }

  /** The path of a node; it must contain no link, and the node must not be a link. */
  function realOf(node: Node): string {
    return real(toPath(entryOf(node)));
  }

  function toPath({ parent, name }: Entry): string {
    return parent ? toPath(parent) + SEPARATOR + name : root;
  }

  /** Refuses a path that contains a link. */
  function real(path: string): string {
    return realPathSync(path) === path ? path : fail("EACCES");
  }

  function fileOf(shared: object): Open {
    return files.get(shared) ?? fail("EBADF");
  }

  function toAttributes(node: Node, look: () => Deno.FileInfo) {
    let found: Deno.FileInfo;
    try {
      found = attempt(look);
    } catch (error) {
      // The node is gone: a later node of the same name must be seen.
      maybeForget(node);
      throw error;
    }
    const now = new Date(0);
    node.mode = modeOf(found);
    return {
      dev: 3,
      ino: found.ino ?? node.id,
      mode: node.mode,
      nlink: 1,
      uid: 0,
      gid: 0,
      rdev: 0,
      size: found.size,
      atime: found.atime ?? now,
      mtime: found.mtime ?? now,
      ctime: found.ctime ?? found.mtime ?? now,
      blksize: 4096,
      blocks: Math.ceil(found.size / 512),
    };
  }

  function modeOf(found: Deno.FileInfo): number {
    const usual = found.isDirectory
      ? FOLDER | 0o777
      : (found.isSymlink ? LINK : FILE) | 0o666;
    const mode = HAS_MODES && found.mode || usual;
    return isWritable ? mode : mode & ~WRITE_BITS;
  }

  function forget(folder: Node, name: string): void {
    try {
      maybeForget(fs.lookupNode(folder, name));
    } catch {
      // The node was not known.
    }
  }

  function maybeForget(node: Node): void {
    if (node.parent !== node) fs.hashRemoveNode(node);
  }

  function change<T>(step: () => T): T {
    return isWritable ? attempt(step) : fail("EROFS");
  }

  /**
   * Calls a function that may fail on this machine. Python sees an error number
   * only: Deno's errors name paths, and Python can change the class of
   * Emscripten's errors.
   */
  function attempt<T>(step: () => T): T {
    const before = system;
    system = SYSTEM;
    try {
      return step();
    } catch (error) {
      throw new fs.ErrnoError(toErrno(error));
    } finally {
      system = before;
    }
  }

  function fail(code: keyof typeof ERRNO): never {
    throw new fs.ErrnoError(ERRNO[code]);
  }

  function checkName(name: unknown): void {
    const isName = typeof name === "string" && name !== "" && name !== "." &&
      name !== ".." && !/[/\0]/.test(name) &&
      (HAS_MODES || !/[\\:]/.test(name));
    if (!isName) fail("EINVAL");
    if (`${name}`.length > LONGEST_NAME) fail("ENAMETOOLONG");
  }
}

/** Reads or writes a part, as far as possible; gives the number of bytes. */
function transfer(
  open: Open,
  [buffer, offset, length, position]: Part,
  step: (rest: Uint8Array<ArrayBuffer>) => number | null,
): number {
  // Python may have passed any object.
  if (!isView(buffer)) throw new TypeError("not a buffer");
  const start = buffer.byteOffset + offset;
  const part = new Uint8Array(buffer.buffer, start, length);
  if (open.at !== position) open.at = open.file.seekSync(position, 0);
  let done = 0;
  while (done < part.length) {
    const more = step(part.subarray(done));
    if (more === null) break;
    done += more;
    open.at += more;
  }
  return done;
}

function toErrno(error: unknown): number {
  const thrown = Object(error);
  const { errno } = thrown;
  if (typeof errno === "number") return errno;
  return ERRORS.get(thrown.code) ?? ERRORS.get(thrown.name) ?? ERRNO.EIO;
}
