import type { EmscriptenFS, Node } from "./emscripten_fs.ts";

/**
 * Gives each folder, present and later, a table without a prototype.
 *
 * Emscripten keeps the nodes of a folder in a plain object, by name. In it,
 * `toString` would name a frozen function that every object inherits, and
 * `__proto__` the table's prototype: making such a file would end the
 * interpreter, or hide the file.
 */
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
