import { assert, assertEquals } from "../../../../deps/assert.ts";
import { montyFiles } from "../../../../test/support/monty_files.ts";
import { MOST_FOLDERS } from "../../../protocol/workspace_path.ts";
import { PIECE_BYTES } from "../../../protocol/run_files.ts";
import type { Files } from "./files.ts";

const encoder = new TextEncoder();
const file = (path: string, text: string) => ({
  path,
  bytes: encoder.encode(text),
});

/** What comes back, in few words. */
function changesOf(files: Files): string[] {
  const decoder = new TextDecoder();
  return [...files.changes()].map((message) => {
    switch (message.type) {
      case "file":
        return `${message.path}: ${decoder.decode(message.bytes)}`;
      case "removed":
        return `${message.path} is gone`;
      case "output":
        return `${message.stream}: ${message.text}`;
    }
  });
}

Deno.test("Files.changes() tells of new, changed and removed files, each once", () => {
  const { files, call } = montyFiles();
  const put = [file("same", "1"), file("read", "2"), file("x/y/changed", "3")];
  assertEquals(files.put([...put, file("gone", "4"), file("moved", "5")]), []);
  call("Path.read_text", "/workspace/read");
  call("open", "/workspace/read", "a");
  call("Path.append_text", "/workspace/read", "");
  call("Path.append_text", "/workspace/x/y/changed", "!");
  call("Path.unlink", "/workspace/gone");
  call("Path.rename", "/workspace/moved", "/workspace/x/here");
  call("Path.write_text", "/workspace/new", "6");
  // Written anew, and so the run's own.
  call("Path.write_text", "/workspace/same", "1");
  assertEquals(changesOf(files).sort(), [
    "gone is gone",
    "moved is gone",
    "new: 6",
    "same: 1",
    "x/here: 5",
    "x/y/changed: 3!",
  ]);
  assertEquals(changesOf(files), []);
  call("Path.append_text", "/workspace/new", "7");
  assertEquals(changesOf(files), ["new: 67"]);
});

Deno.test("Files.changes() sends pieces that are the receiver's own", () => {
  const { files, call } = montyFiles({ bytes: 2 * PIECE_BYTES });
  files.put([{ path: "large", bytes: new Uint8Array(PIECE_BYTES + 1) }]);
  call("Path.append_bytes", "/workspace/large", { Bytes: btoa("x") });
  call("Path.write_text", "/workspace/empty", "");
  const pieces = [...files.changes()];
  const sizes = pieces.map((piece) =>
    piece.type === "file" && [piece.path, piece.size, piece.bytes.length]
  );
  assertEquals(sizes, [
    ["large", PIECE_BYTES + 2, PIECE_BYTES],
    ["large", PIECE_BYTES + 2, 2],
    ["empty", 0, 0],
  ]);
  for (const piece of pieces) {
    assert(piece.type === "file");
    structuredClone(piece.bytes, { transfer: [piece.bytes.buffer] });
  }
  const kept = call("Path.read_bytes", "/workspace/large");
  const bytes = Uint8Array.fromBase64(Reflect.get(Object(kept), "Bytes"));
  assertEquals(bytes.subarray(-3), new Uint8Array([0, 0, 120]));
});

Deno.test("Files.put() gives the reasons for files that do not fit", () => {
  const { files } = montyFiles({ bytes: 3, nodes: 4 });
  const put = [file("a", "12"), file("a/b", "3"), file("d/e", "1")];
  assertEquals(
    files.put([...put, file("d", "x"), file("large", "1"), file("y/z", "")]),
    [
      `"a/b": a path cannot be a file and a folder`,
      `"d": a path cannot be a file and a folder`,
      `"large": there is no room for it (--max-files-size)`,
      `"y/z": there is no room for it (--max-files-size)`,
    ],
  );
  // What was left out does not come back.
  assertEquals(changesOf(files), []);
});

Deno.test("Files.changes() names the files that no client can have", () => {
  const { files, call, callWith } = montyFiles({ nodes: 500 });
  call("Path.write_text", "/workspace/a\ufffd", "1");
  const half = "/d".repeat(MOST_FOLDERS / 2 + 1);
  for (const top of ["/workspace/x", "/workspace/y"]) {
    callWith({ parents: true }, "Path.mkdir", top + half);
    call("Path.write_text", `${top}${half}/file`, "1");
  }
  call("Path.rename", "/workspace/y", `/workspace/x${half}/y`);
  const changes = changesOf(files);
  assertEquals(changes.slice(0, -1), [`x${half}/file: 1`]);
  const told = changes.at(-1) ?? "";
  assert(told.startsWith("stderr: Not sent back from /workspace: "), told);
  assert(told.includes("has U+FFFD in it"), told);
  assert(told.includes("is 101 deep, and a file may be in 100"), told);
});
