import { assertEquals } from "../../deps/assert.ts";
import { parseFromSandbox, parseFromWorker } from "./parse.ts";
import { LONGEST_PIECE, PIECE_BYTES } from "./run_files.ts";
import { LONGEST_PATH } from "./workspace_path.ts";

const DONE = {
  type: "done",
  run: 1,
  printed: 0,
  ending: { status: "run-error", error: "E", exitCode: 1 },
};

const ASK = { type: "ask", id: 0, name: "n", arguments: "{}" };

Deno.test("parseFromWorker() reads what Python calls on its host", () => {
  for (const message of [ASK, { ...ASK, id: 2 ** 53 - 1 }]) {
    assertEquals(parseFromWorker({ ...message, extra: 1 }), message);
  }
  const notification = { type: "notify", name: "", arguments: "not read" };
  assertEquals(parseFromWorker({ ...notification, id: 1 }), notification);
});

Deno.test("parseFromSandbox() reads every message", () => {
  const messages = [
    { type: "ready" },
    { type: "failed", reason: "r" },
    { type: "output", stream: "stderr", text: "t" },
    { ...DONE, ending: { status: "success", value: "null" } },
    { ...DONE, ending: { status: "timeout", error: "late" } },
    DONE,
    ASK,
    { type: "notify", name: "n", arguments: "{}" },
  ];
  for (const message of messages) {
    assertEquals(parseFromSandbox(message), message);
  }
});

Deno.test("parsers keep no more than the protocol knows", () => {
  const extended = JSON.parse(
    '{"type":"ready","__proto__":{"type":"done"},"extra":1}',
  );
  assertEquals(parseFromSandbox(extended), { type: "ready" });
  assertEquals(parseFromWorker(extended), { type: "ready" });
});

Deno.test("parsers refuse what is outside the protocol", () => {
  const lies = [
    null,
    "ready",
    [],
    {},
    { type: "exit" },
    { type: "output", stream: "stdin", text: "" },
    { type: "output", stream: "stdout", text: 1 },
    { ...DONE, ending: { status: "success" } },
    { ...DONE, ending: { status: "denied", error: "" } },
    { ...DONE, ending: null },
    { ...ASK, id: -1 },
    { ...ASK, id: 0.5 },
    { ...ASK, id: 2 ** 53 },
    { ...ASK, id: "1" },
    { ...ASK, name: null },
    { ...ASK, arguments: {} },
    { type: "notify", name: "n" },
    { type: "answer", id: 1, answer: "{}" },
  ];
  for (const lie of lies) {
    assertEquals(parseFromSandbox(lie), undefined);
    assertEquals(parseFromWorker(lie), undefined);
  }
});

const SIZES = [-1, 1.5, NaN, Infinity, 2 ** 53, "1", null, undefined];

Deno.test("parsers take files of sizes that there are, and of paths that fit", () => {
  const path = "p".repeat(LONGEST_PATH);
  const bytes = new Uint8Array(PIECE_BYTES);
  const piece = { type: "file", path, size: 2 ** 53 - 1 };
  const base64 = "A".repeat(LONGEST_PIECE);
  const removed = { type: "removed", path };
  assertEquals(parseFromSandbox({ ...piece, base64 }), { ...piece, base64 });
  assertEquals(parseFromWorker({ ...piece, bytes }), { ...piece, bytes });
  assertEquals(parseFromSandbox(removed), removed);
  assertEquals(parseFromWorker(removed), removed);

  const long = `${path}p`;
  const file = { type: "file", path: "a", size: 0, base64: "", bytes };
  const lies = [
    ...SIZES.map((size) => ({ ...file, size })),
    ...[long, 1, null].flatMap((path) => [
      { ...file, path },
      { type: "removed", path },
    ]),
  ];
  for (const lie of lies) {
    assertEquals(parseFromSandbox(lie), undefined);
    assertEquals(parseFromWorker(lie), undefined);
  }
  assertEquals(
    parseFromSandbox({ ...file, base64: `${base64}A` }),
    undefined,
  );
  for (const lie of [new Uint8Array(PIECE_BYTES + 1), [0], "a", undefined]) {
    assertEquals(parseFromWorker({ ...file, bytes: lie }), undefined);
  }
});
