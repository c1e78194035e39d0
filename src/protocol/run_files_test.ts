import { assertEquals } from "../../deps/assert.ts";
import {
  type FilePiece,
  FileReceiver,
  FileTally,
  PIECE_BYTES,
  toFileBounds,
  toPieces,
} from "./run_files.ts";

const BOUNDS = { bytes: 4 * PIECE_BYTES, count: 4 };
const piece = (more: Partial<FilePiece>, length = 2): FilePiece => ({
  ...{ type: "file", path: "a", size: 2, bytes: new Uint8Array(length) },
  ...more,
});

Deno.test("FileReceiver puts files of any size together", () => {
  const receiver = new FileReceiver();
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
  "a piece of nothing": [piece({}, 0)],
  "one file twice": [piece({}), piece({})],
  "another file within one": [
    piece({ size: 4 }),
    piece({ path: "b", size: 4 }),
  ],
  "more behind the end": [piece({ size: 3 }, 6)],
  "another size within one": [piece({ size: 4 }), piece({ size: 5 })],
  "too many files": ["a", "b", "c", "d", "e"].map((path) => piece({ path })),
  "too many folders": [piece({ path: "a/b" }), piece({ path: "c/d/e" })],
  "a file in too many folders": [piece({ path: "1/2/3/4/5" })],
  "too much in all": ["a", "b"].flatMap((path) => [
    ...toPieces({ path, bytes: new Uint8Array(3 * PIECE_BYTES) }),
  ]),
};

for (const [name, pieces] of Object.entries(LIES)) {
  Deno.test(`FileTally refuses ${name}`, () => {
    const tally = new FileTally(BOUNDS);
    const taken = pieces.map((one) => tally.take(one));
    assertEquals(taken.at(-1), false);
  });
}

Deno.test("FileTally counts nothing of a file that a run cannot have", () => {
  const tally = new FileTally({ bytes: 10, count: 4 });
  const take = (path: string, size: number) =>
    tally.take(piece({ path, size }, size));
  assertEquals(take("a", 1), true);
  for (const path of ["b/c/d/e/f", "../b", "a"]) {
    assertEquals(take(path, 1), false, path);
  }
  assertEquals(take("g/h", 10), false);
  assertEquals(take("g/h", 9), true);
  assertEquals(take("i", 0), true);
  assertEquals(take("j", 0), false);
});

Deno.test("FileTally refuses each piece of a file that is too large, and takes the next file", () => {
  const tally = new FileTally({ bytes: 3, count: 4 });
  const large = [piece({ size: 4 }), piece({ size: 4 })];
  assertEquals(large.map((one) => tally.take(one)), [false, false]);
  assertEquals(tally.take(piece({ path: "b" })), true);
});

Deno.test("FileTally takes nothing after pieces that are out of order", () => {
  for (
    const out of [
      [piece({ size: 4 }), piece({ path: "b" })],
      [piece({ size: 4 }), piece({ size: 5 })],
      [piece({ size: 4 }), piece({ size: 4 }, 3)],
      [piece({ size: 4 }), piece({ size: 4 }, 0)],
    ]
  ) {
    const tally = new FileTally(BOUNDS);
    const pieces = [...out, piece({ path: "c" })];
    assertEquals(pieces.map((one) => tally.take(one)), [true, false, false]);
    assertEquals(tally.takeRemoved("d"), false);
  }
});

Deno.test("FileTally takes as many removals as there may be files, of paths that there may be", () => {
  const tally = new FileTally(BOUNDS);
  const paths = ["../a", "/a", "a", "b", "c", "d", "e"];
  assertEquals(paths.map((path) => tally.takeRemoved(path)), [
    ...[false, false, true, true, true, true, false],
  ]);
});

Deno.test("toFileBounds() gives a run what the options allow", () => {
  assertEquals(toFileBounds({ maxFilesMiB: 2, maxFiles: 3 }), {
    bytes: 2 * 2 ** 20,
    count: 3,
  });
});
