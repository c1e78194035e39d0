import { ERRNO, type Node } from "./emscripten_fs.ts";
import type { FolderHost } from "./mount_fs.ts";

/** An error of a file system of Emscripten. */
export class ErrnoError extends Error {
  constructor(readonly errno: number) {
    super();
  }
}

let last = 0;

class PlainNode implements Node {
  id = ++last;
  parent: Node;
  node_ops = {};
  stream_ops = {};

  constructor(parent: Node | null, public name: string, public mode: number) {
    this.parent = parent ?? this;
  }
}

/** Emscripten's part, without its table of nodes: each call looks up anew. */
export const PLAIN_NODES: FolderHost = {
  createNode: (parent, name, mode) => new PlainNode(parent, name, mode),
  lookupNode() {
    throw new ErrnoError(ERRNO.ENOENT);
  },
  hashRemoveNode() {},
  ErrnoError,
};
