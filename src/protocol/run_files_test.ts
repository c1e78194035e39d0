import { assertEquals, assertThrows } from "../../deps/assert.ts";
import {
  type FilePiece,
  FileReceiver,
  FileTally,
  PIECE_BYTES,
  toFileBounds,
  toPieces,
} from "./run_files.ts";

const BOUNDS = { bytes: 4 * PIECE_BYTES, count: 4 };
const piece = (more: Partial<FilePiece>): FilePiece => ({
  ...{ type: "file", path: "a", size: 2, base64: "AAA=" },
  ...more,
});

Deno.test("FileReceiver puts files of any size together", () => {
  const receiver = new FileReceiver(BOUNDS);
  const files = [0, 1, 2 * PIECE_BYTES + 1].map((size, index) => ({
    path: `d/${index}`,
    bytes: new Uint8Array(size).fill(index),
  }));
  const pieces = files.flatMap((file) => [...toPieces(file)]);
  assertEquals(pieces.length, 5);
  for (const piece of pieces) receiver.take(piece);
  assertEquals(receiver.files, files);
});

const LIES: Record<string, FilePiece[]> = {
  "a path with ..": [piece({ path: "../a" })],
  "an absolute path": [piece({ path: "/workspace/a" })],
  "a path in another form": [piece({ path: "./a" })],
  "a NUL": [piece({ path: "a\0" })],
  "2 GB promised": [piece({ size: 2 ** 31 })],
  "more than fits": [piece({ size: 1 })],
  "no base64": [piece({ base64: "!!!!" })],
  "a piece of nothing": [piece({ base64: "" })],
  "one file twice": [piece({}), piece({})],
  "another file within one": [
    piece({ size: 4 }),
    piece({ path: "b", size: 4 }),
  ],
  "more behind the end": [piece({ size: 3, base64: "AAAAAAAA" })],
  "another size within one": [piece({ size: 4 }), piece({ size: 5 })],
  "too many files": ["a", "b", "c", "d", "e"].map((path) => piece({ path })),
  "too many folders": [piece({ path: "a/b" }), piece({ path: "c/d/e" })],
  "a file in too many folders": [piece({ path: "1/2/3/4/5" })],
  "too much in all": ["a", "b"].flatMap((path) => [
    ...toPieces({ path, bytes: new Uint8Array(3 * PIECE_BYTES) }),
  ]),
};

for (const [name, pieces] of Object.entries(LIES)) {
  Deno.test(`FileReceiver refuses ${name}`, () => {
    const receiver = new FileReceiver(BOUNDS);
    assertThrows(() => pieces.forEach((one) => receiver.take(one)));
  });
}

Deno.test("FileTally counts nothing of a file that a run cannot have", () => {
  const tally = new FileTally({ bytes: 10, count: 4 });
  assertEquals(tally.take("a", 1), true);
  for (const path of ["b/c/d/e/f", "../b", "a"]) {
    assertEquals(tally.take(path, 1), false, path);
  }
  assertEquals(tally.take("g/h", 10), false);
  assertEquals(tally.take("g/h", 9), true);
  assertEquals(tally.take("i", 0), true);
  assertEquals(tally.take("j", 0), false);
});

Deno.test("toFileBounds() gives a run what the options allow", () => {
  assertEquals(toFileBounds({ maxFilesMiB: 2, maxFiles: 3 }), {
    bytes: 2 * 2 ** 20,
    count: 3,
  });
});
