import { assert, assertEquals, assertMatch } from "../../../deps/assert.ts";
import { z } from "../../../deps/zod.ts";
import { parseArguments } from "./arguments.ts";
import { filesSchema, toFiles } from "./files_argument.ts";

const BOUNDS = { bytes: 2 ** 20, count: 4 };
const SCHEMA = z.strictObject({ files: filesSchema(BOUNDS) });
const parse = (files: unknown) =>
  toFiles(parseArguments(SCHEMA, { files }).files, BOUNDS);
const one = (file: object) => parse([{ path: "a", ...file }]);

Deno.test("files takes text and base64, and gives each path one form", () => {
  assertEquals(
    parse([
      { path: "./x//a.txt", text: "hé" },
      { path: "/workspace/b", base64: "AAE=\n" },
      { path: "c", text: "" },
    ]),
    [
      { path: "x/a.txt", bytes: new Uint8Array([104, 0xc3, 0xa9]) },
      { path: "b", bytes: new Uint8Array([0, 1]) },
      { path: "c", bytes: new Uint8Array() },
    ],
  );
});

const REFUSED: [unknown, RegExp][] = [
  ["a", /files must be an array/],
  [["a"], /files\[0\] must be an object, not a string/],
  [[{ text: "x" }], /files\[0\]\.path must be a string, not missing/],
  [[{ path: 1, text: "x" }], /files\[0\]\.path must be a string, not a number/],
  [[{ path: "", text: "x" }], /is empty: name a file/],
  [[{ path: "../a", text: "x" }], /"\.\.\/a" has "\.\." in it/],
  [[{ path: "a/../../b", text: "x" }], /has "\.\." in it/],
  [[{ path: "/etc/passwd", text: "x" }], /outside of \/workspace/],
  [[{ path: "/workspaces/a", text: "x" }], /outside of \/workspace/],
  [[{ path: "/workspace", text: "x" }], /is a folder/],
  [[{ path: "a/", text: "x" }], /is a folder/],
  [[{ path: "a\0b", text: "x" }], /has a NUL/],
  [[{ path: "\ud800", text: "x" }], /surrogate/],
  [[{ path: "n".repeat(5000), text: "x" }], /has 5000 characters/],
  [[{ path: "n".repeat(256), text: "x" }], /a name of 256 bytes/],
  [[{ path: "é".repeat(128), text: "x" }], /a name of 256 bytes/],
  [
    [{ path: "a", text: "x", mode: 1 }],
    /files\[0\] has an unknown key "mode".*path, text, base64/,
  ],
  [[{ path: "a" }], /"a" has neither of text and base64/],
  [[{ path: "a", text: "", base64: "" }], /"a" has both of text and base64/],
  [[{ path: "a", text: 5 }], /files\[0\]\.text must be a string, not a number/],
  [
    [{ path: "a", base64: [1] }],
    /files\[0\]\.base64 must be a string, not an array/,
  ],
  [[{ path: "a", base64: "!" }], /"a" has wrong base64/],
  [[{ path: "a", base64: "abcde" }], /"a" has wrong base64/],
  [[{ path: "a", base64: "data:text/plain;base64,AA" }], /before the comma/],
  [[{ path: "a", text: "x" }, { path: "./a", text: "y" }], /"a" twice/],
  [
    [{ path: "a", text: "x" }, { path: "a/b", text: "y" }],
    /"a" as a file, and "a\/b" needs it as a folder/,
  ],
  [
    [{ path: "a", text: "x".repeat(2 ** 20 + 1) }],
    /"a" is too large: files may have 1 MiB \(--max-files-size\)/,
  ],
  [
    [{ path: "a", base64: "A".repeat(2 ** 21) }],
    /"a" is too large: files may have 1 MiB/,
  ],
  [
    [{ path: "a", text: "x" }, { path: "b", text: "y".repeat(2 ** 20) }],
    /"b" is too large: with those before it/,
  ],
  [
    ["a", "b", "c", "d", "e"].map((path) => ({ path, text: "" })),
    /5 files and folders, and may have 4: send fewer/,
  ],
  [[{ path: "1/2/3/4/5", text: "" }], /5 files and folders/],
  [["a", "b", "c", "d", "e"], /5 files and folders/],
];

for (const [files, message] of REFUSED) {
  const shown = JSON.stringify(files).slice(0, 60);
  Deno.test(`files refuses ${shown}`, () => {
    try {
      parse(files);
    } catch (error) {
      assert(error instanceof TypeError || error instanceof RangeError);
      return assertMatch(error.message, message);
    }
    assert(false, "it was taken");
  });
}

Deno.test("files takes what just fits", () => {
  assertEquals(one({ text: "x".repeat(2 ** 20) })[0]?.bytes.length, 2 ** 20);
  const base64 = new Uint8Array(2 ** 20).toBase64();
  assertEquals(one({ base64 })[0]?.bytes.length, 2 ** 20);
});
