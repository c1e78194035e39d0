/**
 * Gives folders tables without a prototype.
 *
 * Emscripten keeps what is in a folder in a plain object, by name. There
 * `toString` would be taken for what every object inherits, which is frozen, and
 * `__proto__` for the table's prototype: making such a file would end the
 * interpreter, or hide it.
 *
 * @module
 */

/** What of Emscripten's `FS` this uses. */
export interface EmscriptenFS {
  /** All nodes that have a name, in chains. */
  nameTable: (Node | undefined)[];
  filesystems: { MEMFS: Memfs };
}

interface Memfs {
  createNode(parent: Node | null, name: string, ...rest: unknown[]): Node;
}

interface Node {
  // deno-lint-ignore camelcase -- Emscripten's name
  name_next?: Node;
  /** Of a folder, what is in it; of a file, its storage. */
  contents?: object | null;
}

/** From now on, and in all folders that are there, any name is only a name. */
export function openFolderTables(
  { nameTable, filesystems: { MEMFS } }: EmscriptenFS,
): void {
  const { createNode } = MEMFS;
  MEMFS.createNode = (parent, name, ...rest) =>
    withoutPrototype(createNode(parent, name, ...rest));
  for (const first of nameTable) {
    for (let node = first; node; node = node.name_next) withoutPrototype(node);
  }
}

function withoutPrototype(node: Node): Node {
  const { contents } = node;
  if (contents && !ArrayBuffer.isView(contents)) {
    Object.setPrototypeOf(contents, null);
  }
  return node;
}
