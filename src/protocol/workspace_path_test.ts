import { assert, assertEquals, assertThrows } from "../../deps/assert.ts";
import {
  folderOf,
  foldersOfAll,
  isWorkspacePath,
  LONGEST_PATH,
  MOST_FOLDERS,
  newFolders,
  toWorkspacePath,
} from "./workspace_path.ts";

const inFolders = (count: number) => `${"d/".repeat(count)}file`;

const REFUSED: [string, string][] = [
  ["", "is empty"],
  ["p".repeat(LONGEST_PATH + 1), "characters"],
  ["a\0b", "NUL"],
  ["\ud800", "surrogate"],
  ["a\ufffd", "U+FFFD"],
  ["a/..", '".."'],
  ["../a", '".."'],
  ["/a", "outside"],
  ["/workspaces/a", "outside"],
  ["/workspace", "is a folder"],
  ["/workspace/", "is a folder"],
  ["a/", "is a folder"],
  ["a/.", "is a folder"],
  [".", "is a folder"],
  ["é".repeat(128), "256 bytes"],
  [`d/${"n".repeat(256)}/a`, "256 bytes"],
  [inFolders(MOST_FOLDERS + 1), "is in 101 folders, and may be in 100"],
];
for (const [path, message] of REFUSED) {
  Deno.test(`toWorkspacePath() refuses ${JSON.stringify(path).slice(0, 40)}`, () => {
    assertRefused(() => toWorkspacePath(path), message);
    assertEquals(isWorkspacePath(path), false);
  });
}

Deno.test("toWorkspacePath() takes what just fits", () => {
  const long = `${"n".repeat(255)}/`.repeat(16).slice(0, LONGEST_PATH - 1);
  for (const path of [long, inFolders(MOST_FOLDERS), `${"é".repeat(127)}n`]) {
    assertEquals(toWorkspacePath(path), path);
    assertEquals(isWorkspacePath(path), true);
  }
});

Deno.test("toWorkspacePath() gives each path its one form", () => {
  for (const path of ["a/b", "./a//b", "/workspace/a/b"]) {
    assertEquals(toWorkspacePath(path), "a/b");
  }
});

Deno.test("isWorkspacePath() knows the one form only", () => {
  for (const path of ["./a", "a//b", "/workspace/a", "a/./b"]) {
    toWorkspacePath(path);
    assertEquals(isWorkspacePath(path), false, path);
  }
});

Deno.test("folders of paths are those above them", () => {
  assertEquals(["a", "a/b", "a/b/c"].map(folderOf), ["", "a", "a/b"]);
  const paths = ["a/b/x", "a/b/y", "a/z", "top", "c/x"];
  assertEquals(foldersOfAll(paths), new Set(["a/b", "a", "c"]));
});

Deno.test("newFolders() looks no further than at a folder that is known", () => {
  assertEquals(newFolders(new Set(["a/b"]), "a/b/c/d/x"), ["a/b/c/d", "a/b/c"]);
  assertEquals(newFolders(new Set(["a"]), "a/x"), []);
});

/** Asserts that something is refused, with these words in its message. */
function assertRefused(run: () => unknown, message: string): void {
  assertThrows(run, (error: Error) => {
    assert(error instanceof RangeError, String(error));
    assert(error.message.includes(message), error.message);
    return true;
  });
}
