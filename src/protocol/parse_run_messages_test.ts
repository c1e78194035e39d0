import { assertEquals } from "../../deps/assert.ts";
import { parseFromSandbox, parseFromWorker } from "./parse_run_messages.ts";
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

/** What a sandbox process and a worker both may say of how a run ended. */
const ENDINGS: Record<string, unknown>[] = [
  { status: "success", value: "null" },
  { status: "run-error", error: "E", exitCode: 255 },
  { status: "timeout", error: "E" },
  { status: "memory-limit", error: "" },
  { status: "crashed", error: "E" },
];

Deno.test("parsers read an ending only if each of its fields is what it should be", () => {
  const read = (ending: unknown) => [
    Object(parseFromSandbox({ ...DONE, ending })).ending,
    Object(parseFromWorker({ type: "done", ending })).ending,
  ];
  const none = [undefined, undefined];
  for (const ending of ENDINGS) {
    assertEquals(read({ ...ending, extra: 1 }), [ending, ending]);
    for (const name of Object.keys(ending)) {
      for (const lie of [undefined, null, 1.5, {}, ["success"]]) {
        if (name === "exitCode" && lie === 1.5) continue;
        const shown = JSON.stringify({ ...ending, [name]: lie });
        assertEquals(read({ ...ending, [name]: lie }), none, shown);
      }
    }
  }
  for (const lie of [[ENDINGS[0]], "success", 1, null, undefined]) {
    assertEquals(read(lie), none);
  }
});

Deno.test("parsers make of any exit code that of a process", () => {
  for (const [said, code] of [[256, 0], [-1, 255], [1.5, 1], [NaN, 0]]) {
    const ending = { status: "run-error", error: "E", exitCode: said };
    const parsed = parseFromSandbox({ ...DONE, ending });
    assertEquals(Object(parsed).ending.exitCode, code);
  }
});

Deno.test("only a sandbox process says that a run was cancelled, or which it was", () => {
  const cancelled = { status: "cancelled", error: "E" };
  const done = { ...DONE, ending: cancelled };
  assertEquals(parseFromSandbox(done), done);
  assertEquals(parseFromWorker(done), undefined);
  assertEquals(
    parseFromSandbox({ ...done, ending: { status: "cancelled" } }),
    undefined,
  );
  const worker = parseFromWorker(DONE);
  assertEquals(worker, { type: "done", ending: DONE.ending });
});

Deno.test("parseFromSandbox() reads a run's number and sizes only if they are numbers", () => {
  const cut = { ...DONE, errorLength: 5 };
  assertEquals(parseFromSandbox(cut), cut);
  for (const lie of ["1", null, undefined, {}, [1]]) {
    assertEquals(parseFromSandbox({ ...DONE, run: lie }), undefined);
    assertEquals(parseFromSandbox({ ...DONE, printed: lie }), undefined);
    assertEquals(parseFromSandbox({ ...DONE, errorLength: lie }), DONE);
  }
});

Deno.test("parsers read why it failed only if that is text", () => {
  for (const reason of [undefined, null, 1, ["r"], { length: 1 }]) {
    assertEquals(parseFromSandbox({ type: "failed", reason }), undefined);
    assertEquals(parseFromWorker({ type: "broken", reason }), undefined);
  }
  const broken = { type: "broken", reason: "r" };
  assertEquals(parseFromWorker({ ...broken, extra: 1 }), broken);
  assertEquals(parseFromSandbox(broken), undefined);
  assertEquals(parseFromWorker({ type: "failed", reason: "r" }), undefined);
});

Deno.test("parsers read output only of a stream that there is", () => {
  for (const stream of ["stdin", "", undefined, ["stdout"], "constructor"]) {
    const lie = { type: "output", stream, text: "t" };
    assertEquals(parseFromSandbox(lie), undefined);
    assertEquals(parseFromWorker(lie), undefined);
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
