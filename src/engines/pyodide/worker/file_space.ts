import {
  bytesOfName,
  isTextName,
  LONGEST_NAME,
} from "../../../protocol/workspace_path.ts";
import {
  type EmscriptenFS,
  ERRNO,
  type Node,
  type Storage,
  type StreamOps,
} from "../../shared/emscripten_fs.ts";

const { EILSEQ, ENAMETOOLONG, ENOSPC } = ERRNO;
/** The length of a link's target, as on other systems; Emscripten has no limit. */
const LONGEST_LINK = 4096;

/** The limits of all files of a run together. */
export interface FileLimits {
  bytes: number;
  /** Files, folders and links. */
  nodes: number;
}

export interface FileSpace {
  /** Keeps the storage of a file as it is: a write copies it before. */
  keep(storage: object): void;
  /** Counts the files that are there as nobody's. */
  forget(): void;
}

/**
 * Bounds the size and number of the files of a run from now on: beyond the limits,
 * a call fails with ENOSPC. The files are in JavaScript's memory, which the cap of
 * Python's memory does not include.
 *
 * The counts only go up; when they reach a limit, all files are counted anew. So
 * this module need not watch the calls that free space: deleting, shortening,
 * closing a deleted file.
 *
 * Only functions of this module hold the counts, and Python cannot replace their
 * callers; code that works around Emscripten meets the limit of the process.
 */
export function limitFiles(fs: EmscriptenFS, limits: FileLimits): FileSpace {
  const { nameTable, streams, filesystems: { MEMFS } } = fs;
  const { file, dir } = MEMFS.ops_table;
  const { createNode, resizeFileStorage } = MEMFS;
  const { write } = file.stream;
  const { setattr } = file.node;
  const { rename, symlink } = dir.node;
  let counted = new WeakSet<Node>();
  const isCounted = (node: Node) => counted.has(node);
  const kept = new WeakSet<object>();
  let held: FileLimits = { bytes: 0, nodes: 0 };

  lock(MEMFS, {
    createNode(parent: Node, name: string, ...rest: unknown[]): Node {
      checkName(name);
      take({ bytes: 0, nodes: 1 });
      const node = createNode(parent, name, ...rest);
      counted.add(node);
      return node;
    },
    expandFileStorage(node: Node, bytes: number): void {
      if (bytes <= capacityOf(node)) return;
      take({ bytes: bytes - sizeOf(node), nodes: 0 });
      allocate(() => expand(node, bytes));
    },
    resizeFileStorage(node: Node, bytes: number): void {
      take({ bytes: bytes - sizeOf(node), nodes: 0 });
      allocate(() => resizeFileStorage(node, bytes));
    },
  });
  const writeWithin: StreamOps["write"] = (stream, ...part) => {
    const { node } = stream;
    const [, , length, position] = part;
    adopt(node);
    take({ bytes: position + length - sizeOf(node), nodes: 0 });
    if (isStorage(node.contents) && kept.has(node.contents)) {
      node.contents = node.contents.slice();
    }
    return allocate(() => {
      // The first piece becomes the storage itself.
      if (sizeOf(node) > 0 || position > 0) expand(node, position + length);
      return write(stream, ...part);
    });
  };
  lock(MEMFS.stream_ops, { write: writeWithin });
  lock(file.stream, { write: writeWithin });
  lock(file.node, {
    setattr(node: Node, change: object): void {
      adopt(node);
      setattr(node, change);
    },
  });
  lock(dir.node, {
    rename(node: Node, folder: Node, name: string): void {
      checkName(name);
      rename(node, folder, name);
    },
    symlink(parent: Node, name: string, target: string): Node {
      if (target.length > LONGEST_LINK) fail(ENAMETOOLONG);
      return symlink(parent, name, target);
    },
  });
  lock(MEMFS, { ops_table: MEMFS.ops_table });
  return {
    keep: (storage) => void kept.add(storage),
    forget() {
      counted = new WeakSet();
      held = { bytes: 0, nodes: 0 };
    },
  };

  /**
   * Doubles the storage of a file. Emscripten adds an eighth, so that a large
   * file leaves nine times its size for V8's slow collector.
   */
  function expand(node: Node, needed: number): void {
    const had = capacityOf(node);
    if (needed <= had) return;
    const storage = new Uint8Array(
      Math.max(needed, Math.min(2 * had, limits.bytes)),
    );
    if (isStorage(node.contents)) {
      storage.set(node.contents.subarray(0, sizeOf(node)));
    }
    node.contents = storage;
  }

  /** Counts a file that existed before the limits, once it is changed. */
  function adopt(node: Node): void {
    if (isCounted(node)) return;
    counted.add(node);
    take({ bytes: sizeOf(node), nodes: 1 });
  }

  function take({ bytes, nodes }: FileLimits): void {
    if (!(bytes > 0) && nodes === 0) return;
    const isTooMuch = () =>
      held.bytes + bytes > limits.bytes || held.nodes + nodes > limits.nodes;
    if (isTooMuch()) held = countAnew();
    if (isTooMuch()) fail(ENOSPC);
    held.bytes += Math.max(bytes, 0);
    held.nodes += nodes;
  }

  function countAnew(): FileLimits {
    const sum = { bytes: 0, nodes: 0 };
    const seen = new WeakSet<Node>();
    const add = (node: Node | undefined) => {
      if (!node || !isCounted(node) || seen.has(node)) return;
      seen.add(node);
      sum.bytes += sizeOf(node);
      sum.nodes++;
    };
    for (let at = 0; at < nameTable.length; at++) {
      for (let node = nameTable[at]; node; node = node.name_next) add(node);
    }
    for (let at = 0; at < streams.length; at++) add(streams[at]?.node);
    return sum;
  }

  /** Refuses a name that a file could not be sent back under. */
  function checkName(name: string): void {
    if (!isTextName(name)) fail(EILSEQ);
    if (bytesOfName(name) > LONGEST_NAME) fail(ENAMETOOLONG);
  }

  function fail(errno: number): never {
    throw new fs.ErrnoError(errno);
  }

  /** Refuses a size beyond JavaScript's limit, which would end the interpreter. */
  function allocate<T>(step: () => T): T {
    try {
      return step();
    } catch (error) {
      throw error instanceof RangeError ? new fs.ErrnoError(ENOSPC) : error;
    }
  }
}

function sizeOf({ usedBytes = 0 }: Node): number {
  return usedBytes;
}

function capacityOf({ contents }: Node): number {
  return isStorage(contents) ? contents.length : 0;
}

function isStorage(contents: Node["contents"]): contents is Storage {
  return ArrayBuffer.isView(contents);
}

/** Replaces properties for good. */
function lock(owner: object, properties: object): void {
  for (const [name, value] of Object.entries(properties)) {
    Object.defineProperty(owner, name, {
      value,
      enumerable: true,
      writable: false,
      configurable: false,
    });
  }
}
