// deno-lint-ignore-file camelcase -- Emscripten's names

/** The part of Emscripten's `FS` that this program uses. */
export interface EmscriptenFS {
  /** All nodes with a name, in chains. */
  nameTable: (Node | undefined)[];
  /** Open files; a deleted file that is open is only here. */
  streams: (Stream | null | undefined)[];
  mkdirTree(path: string): void;
  mount(type: { mount(): Node }, options: object, path: string): void;
  createNode(parent: Node | null, name: string, mode: number, dev: 0): Node;
  lookupNode(parent: Node, name: string): Node;
  hashRemoveNode(node: Node): void;
  ErrnoError: new (errno: number) => Error;
  filesystems: { MEMFS: Memfs };
}

/** Files in memory; MEMFS calls its own functions by these names. */
export interface Memfs {
  createNode(parent: Node | null, name: string, ...rest: unknown[]): Node;
  expandFileStorage(node: Node, bytes: number): void;
  resizeFileStorage(node: Node, bytes: number): void;
  stream_ops: StreamOps;
  ops_table: {
    file: {
      node: { setattr(node: Node, change: object): void };
      stream: StreamOps;
    };
    dir: {
      node: {
        rename(node: Node, folder: Node, name: string): void;
        symlink(parent: Node, name: string, target: string): Node;
      };
    };
  };
}

export interface Node {
  id: number;
  name: string;
  parent: Node;
  mode: number;
  node_ops: object;
  stream_ops: object;
  name_next?: Node;
  /** The nodes of a folder in memory; the storage of a file. */
  contents?: Record<string, Node> | Storage | null;
  /** The part of the storage that is in use. */
  usedBytes?: number;
}

/** The storage of a file; Python's first write gives an `Int8Array`. */
export type Storage = Uint8Array | Int8Array;

export interface Stream {
  node: Node;
  flags: number;
  position: number;
  /** State that all streams of a `dup()` share. */
  shared: object;
  stream_ops: StreamOps;
}

export interface StreamOps {
  write(stream: Stream, ...part: Part): number;
  mmap(stream: object, ...rest: number[]): unknown;
}

/** A part of Python's memory, and the place of its bytes in a file. */
export type Part = [
  buffer: Uint8Array<ArrayBuffer>,
  offset: number,
  length: number,
  position: number,
  canOwn?: boolean,
];

/** The bits of a mode that tell a node's kind. */
export const KIND = 0o170000;
export const FOLDER = 0o040000;
export const FILE = 0o100000;
export const LINK = 0o120000;

/** Error numbers of Emscripten's C library. */
export const ERRNO = {
  EACCES: 2,
  EBADF: 8,
  EBUSY: 10,
  EEXIST: 20,
  EFBIG: 22,
  EILSEQ: 25,
  EINVAL: 28,
  EIO: 29,
  EISDIR: 31,
  ELOOP: 32,
  EMFILE: 33,
  ENAMETOOLONG: 37,
  ENFILE: 41,
  ENOENT: 44,
  ENOSPC: 51,
  ENOTDIR: 54,
  ENOTEMPTY: 55,
  EPERM: 63,
  EROFS: 69,
  EXDEV: 75,
} as const;
