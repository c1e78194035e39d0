import { assert, assertEquals, assertThrows } from "../../../deps/assert.ts";
import { Folder } from "./folder.ts";

const file = (path: string, text = path) => ({
  path,
  bytes: new TextEncoder().encode(text),
});
const paths = (files: { path: string }[]) => files.map(({ path }) => path);

Deno.test("a run's own files win over those of the folder", () => {
  const folder = new Folder({ bytes: 100, count: 10 });
  for (const path of ["a", "b/c", "d"]) folder.write(file(path));
  const merged = folder.mergeInto([file("a", "own"), file("b"), file("d/e")]);
  assertEquals(paths(merged), ["a", "b", "d/e"]);
  assertEquals(paths(folder.mergeInto([])), ["a", "b/c", "d"]);
});

Deno.test("the folder takes over what a run wrote, and what it deleted", () => {
  const folder = new Folder({ bytes: 100, count: 10 });
  folder.write(file("a"));
  folder.write(file("b"));
  folder.update([file("a/x"), file("c")], ["b"]);
  assertEquals(paths(folder.list()), ["a/x", "c"]);
});

Deno.test("a file that a run wrote in the place of a folder leaves nothing below it", () => {
  const folder = new Folder({ bytes: 100, count: 10 });
  for (const path of ["a/x", "a/y/z", "ab", "b"]) folder.write(file(path));
  // Of a call's own file `a`, or of two runs at a time.
  folder.update([file("a")], []);
  assertEquals(paths(folder.list()), ["a", "ab", "b"]);
  // Of a liar.
  folder.update([file("c"), file("c/d")], []);
  assertEquals(paths(folder.list()), ["a", "ab", "b", "c/d"]);
});

Deno.test("the folder refuses what no run could have", () => {
  const folder = new Folder({ bytes: 4, count: 2 });
  folder.write(file("a", "1234"));
  folder.write(file("a", "123"));
  assertRefused(() => folder.write(file("b", "12")), "--max-files");
  assertRefused(() => folder.write(file("a/b", "")), '"a"');
  assertRefused(() => folder.write(file("x/y", "")), "--max-files");
  assertThrows(() => folder.mergeInto([file("b", "12")]), RangeError);
  const deep = new Folder({ bytes: 4, count: 3 });
  deep.write(file("x/y", ""));
  assertRefused(() => deep.write(file("x", "")), '"x/y"');
  deep.write(file("xy", ""));
});

Deno.test("of two runs at a time, what does not fit is dropped, oldest first", () => {
  const folder = new Folder({ bytes: 4, count: 10 });
  folder.update([file("a", "12"), file("b", "34")], []);
  folder.update([file("c", "56")], []);
  assertEquals(paths(folder.list()), ["b", "c"]);
});

Deno.test("a run cannot fill the folder with more files than there may be", () => {
  const folder = new Folder({ bytes: 4, count: 3 });
  folder.update(["a", "b", "c", "d"].map((path) => file(path, "")), []);
  assertEquals(paths(folder.list()), ["b", "c", "d"]);
});

/** Asserts that something is refused, with these words in its message. */
function assertRefused(run: () => unknown, message: string): void {
  assertThrows(run, (error: Error) => {
    assert(error instanceof RangeError, String(error));
    assert(error.message.includes(message), error.message);
    return true;
  });
}
