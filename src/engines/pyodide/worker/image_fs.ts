import {
  type EmscriptenFS,
  ERRNO,
  type Node,
  type Part,
  type Stream,
} from "../../shared/emscripten_fs.ts";

const FOLDER_MODE = 0o40755;
const FILE_MODE = 0o100644;
const { ENOENT, EROFS, EINVAL } = ERRNO;

// Python may pass any object as the buffer of a read: a method of that object
// would get the image itself.
const fill = Uint8Array.prototype.set;

/** The place of a file's bytes in the image. */
export interface Extent {
  offset: number;
  length: number;
}

/** A folder of the image: its files and folders by name. */
export type Folder = Map<string, Folder | Extent>;

/**
 * Makes a file system, for `FS.mount()`, over an image that all interpreters of a process share: a read
 * copies the bytes that it reads. A write first copies the file into this
 * interpreter's memory; the image does not change.
 *
 * Only functions of this module refer to the image: no object that Emscripten, and
 * so Python, can reach has a reference to it.
 */
export function imageFileSystem(
  fs: EmscriptenFS,
  root: Folder,
  contents: Uint8Array,
): { mount(): Node } {
  const folders = new WeakMap<Node, Folder>();
  const extents = new WeakMap<Node, Extent>();
  const date = new Date(0);

  const nodeOps = {
    getattr(node: Node) {
      const size = sizeOf(node);
      return {
        dev: 1,
        ino: node.id,
        mode: node.mode,
        nlink: 1,
        uid: 0,
        gid: 0,
        rdev: 0,
        size,
        atime: date,
        mtime: date,
        ctime: date,
        blksize: 4096,
        blocks: Math.ceil(size / 4096),
      };
    },
    lookup(parent: Node, name: string): Node {
      const entry = folders.get(parent)?.get(name);
      if (!entry) throw new fs.ErrnoError(ENOENT);
      return create(parent, name, entry);
    },
    readdir(node: Node): string[] {
      const stored = folders.get(node)?.keys() ?? [];
      return [".", "..", ...stored, ...Object.keys(node.contents ?? {})];
    },
    mknod(parent: Node, name: string, mode: number, dev: number): Node {
      return fs.filesystems.MEMFS.createNode(parent, name, mode, dev);
    },
    unlink: forget,
    rmdir: forget,
    setattr(node: Node, change: object): void {
      if (own(node)) memory().node.setattr(node, change);
    },
    rename: refuse,
    symlink: refuse,
  };

  const streamOps = {
    read({ node }: Stream, ...[buffer, offset, length, position]: Part) {
      const extent = extentOf(node);
      if (!extent) throw new fs.ErrnoError(EINVAL);
      const start = within(position, 0, extent.length);
      const end = within(start + length, start, extent.length);
      const { offset: first } = extent;
      fill.call(buffer, contents.subarray(first + start, first + end), offset);
      return end - start;
    },
    llseek(stream: Stream, offset: number, whence: number): number {
      const from = [0, stream.position, sizeOf(stream.node)][whence] ?? NaN;
      if (!(from + offset >= 0)) throw new fs.ErrnoError(EINVAL);
      return from + offset;
    },
    write(stream: Stream, ...part: Part): number {
      own(stream.node);
      stream.stream_ops = memory().stream;
      return stream.stream_ops.write(stream, ...part);
    },
  };

  return { mount: () => create(null, "/", root) };

  function create(
    parent: Node | null,
    name: string,
    entry: Folder | Extent,
  ): Node {
    const mode = entry instanceof Map ? FOLDER_MODE : FILE_MODE;
    const node = fs.createNode(parent, name, mode, 0);
    node.node_ops = nodeOps;
    node.stream_ops = streamOps;
    if (entry instanceof Map) {
      node.contents = Object.create(null);
      folders.set(node, entry);
    } else extents.set(node, entry);
    return node;
  }

  function memory() {
    return fs.filesystems.MEMFS.ops_table.file;
  }

  /** Copies a file into this interpreter's memory; gives false for a folder. */
  function own(node: Node): boolean {
    const extent = extentOf(node);
    if (!extent) return !folders.has(node);
    const { offset, length } = extent;
    node.contents = contents.slice(offset, offset + length);
    node.usedBytes = length;
    node.node_ops = memory().node;
    node.stream_ops = memory().stream;
    return true;
  }

  /** Undefined for a file that was copied, until it is the image's again. */
  function extentOf(node: Node): Extent | undefined {
    return node.node_ops === nodeOps ? extents.get(node) : undefined;
  }

  /** Removes a node that Python made; the image does not change. */
  function forget({ contents }: Node, name: string): void {
    if (!contents || !Object.hasOwn(contents, name)) return refuse();
    Reflect.deleteProperty(contents, name);
  }

  function sizeOf(node: Node): number {
    return extentOf(node)?.length ?? 4096;
  }

  function refuse(): never {
    throw new fs.ErrnoError(EROFS);
  }
}

/** The nearest number within the bounds; the lower bound for NaN. */
function within(wanted: number, least: number, most: number): number {
  // Convert once: an object may give another number the second time.
  return Math.min(Math.max(Number(wanted) || least, least), most);
}

/** Puts a file into a tree of folders. */
export function addFile(root: Folder, path: string, extent: Extent): void {
  const names = path.split("/");
  const name = names.pop() ?? "";
  let folder = root;
  for (const part of names) {
    const next = folder.get(part);
    const inner: Folder = next instanceof Map ? next : new Map();
    folder.set(part, inner);
    folder = inner;
  }
  folder.set(name, extent);
}
