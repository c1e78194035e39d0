import { assertEquals, assertMatch } from "../../deps/assert.ts";
import type { WorkerFilePiece } from "../protocol/run_messages.ts";
import { FileGate } from "./file_gate.ts";

const BOUNDS = { bytes: 10, count: 3 };
const piece = (path: string, size: number, length = size): WorkerFilePiece => ({
  type: "file",
  path,
  size,
  bytes: new Uint8Array(length),
});
const removed = (path: string) => ({ type: "removed", path }) as const;

/** Paths of what a gate lets through, and what it says of the rest. */
function pass(...messages: Parameters<FileGate["take"]>[0][]) {
  const gate = new FileGate(BOUNDS);
  const passed = messages.flatMap((message) => gate.take(message) ?? []);
  return {
    paths: passed.map((one) => "path" in one ? one.path : one.type),
    note: gate.note(),
  };
}

Deno.test("FileGate lets through what keeps to the bounds, as base64", () => {
  const gate = new FileGate(BOUNDS);
  const bytes = new Uint8Array([1, 2]);
  assertEquals(gate.take({ type: "file", path: "d/a", size: 2, bytes }), {
    ...{ type: "file", path: "d/a", size: 2, base64: "AQI=" },
  });
  assertEquals(gate.take(removed("b")), removed("b"));
  assertEquals(gate.note(), "");
});

Deno.test("FileGate drops a file that is too large with all its pieces, and counts it", () => {
  const { paths, note } = pass(
    piece("a", 6),
    piece("large", 5, 2),
    piece("large", 5, 3),
    piece("b", 4, 2),
    piece("b", 4, 2),
  );
  assertEquals(paths, ["a", "b", "b"]);
  assertMatch(note, /--max-files.*: 1$/m);
});

Deno.test("FileGate drops files beyond the count, folders with them", () => {
  assertEquals(pass(piece("a", 0), piece("d/b", 0), piece("c", 0)).paths, [
    ...["a", "d/b"],
  ]);
  assertEquals(pass(piece("1/2/3/a", 0)).paths, []);
  assertEquals(pass(...["a", "b", "c", "d"].map(removed)).paths, [
    ...["a", "b", "c"],
  ]);
});

Deno.test("FileGate drops what is not a path, or comes twice", () => {
  assertEquals(
    pass(piece("../a", 0), piece("a", 0), piece("a", 0), piece("/b", 0)).paths,
    ["a"],
  );
  assertEquals(pass(removed("../a"), removed("a")).paths, ["a"]);
});

Deno.test("FileGate lets nothing through after pieces that are out of order", () => {
  for (
    const out of [
      [piece("a", 2, 1), piece("b", 2)],
      [piece("a", 2, 1), piece("a", 3, 1)],
      [piece("a", 2, 1), piece("a", 2, 2)],
      [piece("a", 2, 1), piece("a", 2, 0)],
    ]
  ) assertEquals(pass(...out, piece("c", 0), removed("d")).paths, ["a"]);
});
