import { loadPyodide } from "pyodide";
import { assert, assertEquals, assertThrows } from "../../../../deps/assert.ts";
import { addFile, type Folder, imageFileSystem } from "./image_fs.ts";

Deno.test("imageFileSystem() reads a file's own bytes, whatever position is asked for", async () => {
  const { FS } = await loadPyodide();
  const root: Folder = new Map();
  addFile(root, "folder/file", { offset: 10, length: 5 });
  addFile(root, "folder/next", { offset: 15, length: 10 });
  const image = new TextEncoder().encode("<<<<<<<<<<hello>>>>>>>>>>");
  FS.mkdir("/image");
  FS.mount(Object(imageFileSystem(Object(FS), root, image)), {}, "/image");
  const stream = FS.open("/image/folder/file", "r");
  const read = (length: unknown, position: unknown): string => {
    const buffer = new Uint8Array(100);
    const count: number = Object(stream).stream_ops.read(
      ...[stream, buffer, 0, length, position],
    );
    const text = new TextDecoder().decode(buffer).replaceAll("\0", "");
    assertEquals(Math.max(count, 0), text.length);
    return text;
  };
  /** Gives another number each time. */
  const moving = (...numbers: number[]) => ({
    valueOf: () => numbers.push(numbers[0] ?? 0) && numbers.shift(),
  });
  const odd = [
    ...[-1, -10, -1e9, -Infinity, NaN, 5, 1e9, Infinity, "9", {}],
    ...[moving(1, -10), moving(-10, 1)],
  ];
  for (const position of odd) {
    for (const length of [...odd, 0]) {
      const text = read(length, position);
      assert("hello".includes(text), `${text} at ${position}, ${length}`);
    }
  }
  assertEquals([read(100, 0), read(2, 1)], ["hello", "el"]);
  for (const offset of [-1, -Infinity, NaN]) {
    assertThrows(() => FS.llseek(stream, offset, 0));
  }
  assertThrows(() => FS.llseek(stream, 0, 9));
  assertEquals(FS.llseek(stream, -2, 2), 3);
});
