import type { EmscriptenFS, Node, Stream } from "../../shared/emscripten_fs.ts";
import type { FileSpace } from "./file_space.ts";

/** The part of Emscripten's `FS` that is for this file alone. */
export interface KeptFS extends EmscriptenFS {
  nextInode: number;
  currentPath: string;
  devices: Record<number, object>;
  createDevice: { major?: number };
  close(stream: Stream): void;
}

/** The state of Emscripten's terminals, which have no node of their own. */
export interface Terminals {
  ttys?: ({ input: unknown[]; output: unknown[] } | undefined)[];
}

/**
 * Keeps all that Emscripten has of files, as it is now.
 *
 * Nothing is compared: a node that a run has made has no name afterwards, and one that
 * was there has its properties again. The bytes of a file are not copied, as no write
 * changes a storage that is kept.
 *
 * @returns Puts it back.
 */
export function keepFiles(
  fs: KeptFS,
  space: Pick<FileSpace, "keep">,
  { ttys = [] }: Terminals = {},
): () => void {
  const table = [...fs.nameTable];
  const nodes = new Map<Node, Partial<Node>>();
  const add = (node: Node) => {
    if (nodes.has(node)) return;
    const { contents } = node;
    const isStorage = ArrayBuffer.isView(contents);
    if (isStorage) space.keep(contents);
    const entries = contents && !isStorage ? { contents: { ...contents } } : {};
    nodes.set(node, { ...node, ...entries });
  };
  for (const first of table) {
    for (let node = first; node; node = node.name_next) add(node);
  }
  const streams = [...fs.streams];
  const opened = new Map<Stream, [own: Stream, shared: object]>();
  for (const stream of streams) {
    if (!stream) continue;
    add(stream.node);
    opened.set(stream, [{ ...stream }, { ...stream.shared }]);
  }
  const devices = { ...fs.devices };
  const { nextInode, currentPath, createDevice: { major } } = fs;

  return () => {
    for (const stream of [...fs.streams]) {
      // One of a mount is open on the machine.
      if (stream && !opened.has(stream)) fs.close(stream);
    }
    for (const [stream, [own, shared]] of opened) {
      putBack(stream, own);
      putBack(stream.shared, shared);
    }
    replace(fs.streams, streams);
    for (const [node, own] of nodes) {
      const { contents } = own;
      putBack(node, own);
      if (contents && !ArrayBuffer.isView(contents)) {
        node.contents = Object.assign(Object.create(null), contents);
      }
    }
    replace(fs.nameTable, table);
    putBack(fs.devices, devices);
    Object.assign(fs, { nextInode, currentPath });
    if (major !== undefined) fs.createDevice.major = major;
    for (const tty of ttys) {
      if (tty) Object.assign(tty, { input: [], output: [] });
    }
  };
}

/** Gives an object exactly these properties. */
function putBack(object: object, own: object): void {
  for (const name of Object.keys(object)) {
    if (!Object.hasOwn(own, name)) Reflect.deleteProperty(object, name);
  }
  Object.assign(object, own);
}

function replace<T>(list: T[], by: readonly T[]): void {
  list.length = by.length;
  for (const [at, it] of by.entries()) list[at] = it;
}
