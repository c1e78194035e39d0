/**
 * Gives folders tables without a prototype.
 *
 * Emscripten keeps the nodes of a folder in a plain object, by name. In it,
 * `toString` would name a frozen function that every object inherits, and
 * `__proto__` the table's prototype: making such a file would end the
 * interpreter, or hide the file.
 *
 * @module
 */

/** The part of Emscripten's `FS` that this module uses. */
export interface EmscriptenFS {
  /** All nodes with a name, in chains. */
  nameTable: (Node | undefined)[];
  filesystems: { MEMFS: Memfs };
}

interface Memfs {
  createNode(parent: Node | null, name: string, ...rest: unknown[]): Node;
}

interface Node {
  // deno-lint-ignore camelcase -- Emscripten's name
  name_next?: Node;
  /** The nodes in a folder; the storage of a file. */
  contents?: object | null;
}

/** Gives each folder, present and later, a table without a prototype. */
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
