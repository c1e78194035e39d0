import { assertEquals } from "../../deps/assert.ts";
import { PIECE_BYTES } from "./run_files.ts";
import { parseEnding, parseRunMessage } from "./run_messages.ts";
import { LONGEST_PATH } from "./workspace_path.ts";

const ASK = { type: "ask", id: 0, name: "n", arguments: "{}" };

Deno.test("parseRunMessage() reads the calls of Python on its host", () => {
  for (const message of [ASK, { ...ASK, id: 2 ** 53 - 1 }]) {
    assertEquals(parseRunMessage({ ...message, extra: 1 }), message);
  }
  const notification = { type: "notify", name: "", arguments: "not read" };
  assertEquals(parseRunMessage({ ...notification, id: 1 }), notification);
});

Deno.test("parseRunMessage() reads output only of a stream that there is", () => {
  const output = { type: "output", stream: "stderr", text: "t" };
  assertEquals(parseRunMessage({ ...output, extra: 1 }), output);
  for (const stream of ["stdin", "", undefined, ["stdout"], "constructor"]) {
    assertEquals(parseRunMessage({ ...output, stream }), undefined);
  }
});

Deno.test("parseRunMessage() refuses messages outside the protocol", () => {
  const lies = [
    null,
    "ready",
    [],
    {},
    { type: "exit" },
    { type: "output", stream: "stdout", text: 1 },
    { ...ASK, id: -1 },
    { ...ASK, id: 0.5 },
    { ...ASK, id: 2 ** 53 },
    { ...ASK, id: "1" },
    { ...ASK, name: null },
    { ...ASK, arguments: {} },
    { type: "notify", name: "n" },
    { type: "answer", id: 1, answer: "{}" },
  ];
  for (const lie of lies) assertEquals(parseRunMessage(lie), undefined);
});

const SIZES = [-1, 1.5, NaN, Infinity, 2 ** 53, "1", null, undefined];

Deno.test("parseRunMessage() takes files of sizes that there are, and of paths that fit", () => {
  const path = "p".repeat(LONGEST_PATH);
  const bytes = new Uint8Array(PIECE_BYTES);
  const piece = { type: "file", path, size: 2 ** 53 - 1, bytes };
  const removed = { type: "removed", path };
  assertEquals(parseRunMessage(piece), piece);
  assertEquals(parseRunMessage(removed), removed);

  const long = `${path}p`;
  const file = { type: "file", path: "a", size: 0, bytes };
  const lies = [
    ...SIZES.map((size) => ({ ...file, size })),
    ...[long, 1, null].flatMap((path) => [
      { ...file, path },
      { type: "removed", path },
    ]),
  ];
  for (const lie of lies) assertEquals(parseRunMessage(lie), undefined);
});

Deno.test("parseRunMessage() reads bytes of a piece that are its own", () => {
  const piece = { type: "file", path: "a", size: 2 ** 30 };
  const read = (bytes: unknown) =>
    Object(parseRunMessage({ ...piece, bytes })).bytes;
  for (const size of [0, 2, PIECE_BYTES]) {
    assertEquals(read(new Uint8Array(size)), new Uint8Array(size));
  }
  const lies = [
    new Uint8Array(PIECE_BYTES + 1),
    new Uint8Array(new SharedArrayBuffer(1)),
    ...["AQI=", "", [0], { length: 1 }, undefined],
  ];
  for (const lie of lies) assertEquals(read(lie), undefined);
});

const ENDINGS: Record<string, unknown>[] = [
  { status: "success", value: "null" },
  { status: "run-error", error: "E" },
  { status: "timeout", error: "E" },
  { status: "memory-limit", error: "" },
  { status: "crashed", error: "E" },
];

Deno.test("parseEnding() reads an ending only if each of its fields is of its type", () => {
  for (const ending of ENDINGS) {
    const parsed: unknown = parseEnding({ ...ending, extra: 1 });
    assertEquals(parsed, ending);
    for (const name of Object.keys(ending)) {
      for (const lie of [undefined, null, 1.5, {}, ["success"]]) {
        const shown = JSON.stringify({ ...ending, [name]: lie });
        assertEquals(parseEnding({ ...ending, [name]: lie }), undefined, shown);
      }
    }
  }
  for (
    const lie of [
      ...[[ENDINGS[0]], "success", 1, null, undefined],
      { status: "denied", error: "" },
      { status: "cancelled", error: "" },
    ]
  ) assertEquals(parseEnding(lie), undefined);
});

Deno.test("parseEnding() reads a table's text, and nothing else in its place", () => {
  const ending = { status: "success", value: "[]" } as const;
  const shown = { ...ending, shown: "a\n1" };
  assertEquals(parseEnding(shown), shown);
  for (const lie of [undefined, null, 1, {}, ["a"]]) {
    assertEquals(parseEnding({ ...ending, shown: lie }), ending);
  }
});

Deno.test("parseEnding() reads whether a value was cut, and nothing else in its place", () => {
  const ending = { status: "success", value: "[]" } as const;
  assertEquals(parseEnding({ ...ending, isCut: true }), {
    ...ending,
    isCut: true,
  });
  for (const lie of [undefined, null, 1, "true", {}]) {
    assertEquals(parseEnding({ ...ending, isCut: lie }), ending);
  }
});

Deno.test("parseEnding() reads facts of their kinds, each cut, beside any ending", () => {
  for (const ending of ENDINGS) {
    const facts = { exitCode: 1, errorType: "E", errorMessage: "m" };
    assertEquals<unknown>(parseEnding({ ...ending, ...facts, extra: 1 }), {
      ...ending,
      ...facts,
    });
    const lies = { exitCode: "1", errorType: {}, errorMessage: ["m"] };
    assertEquals<unknown>(parseEnding({ ...ending, ...lies }), ending);
  }
  const long = {
    errorType: "t".repeat(201),
    errorMessage: "\ud800".repeat(4001),
  };
  assertEquals<unknown>(parseEnding({ ...ENDINGS[1], ...long }), {
    ...ENDINGS[1],
    errorType: "t".repeat(200),
    errorMessage: "\ufffd".repeat(4000),
  });
});

Deno.test("parseEnding() makes of any exit code that of a process", () => {
  for (const [said, code] of [[256, 0], [-1, 255], [1.5, 1], [NaN, 0]]) {
    const ending = { status: "run-error", error: "E", exitCode: said };
    assertEquals(Object(parseEnding(ending)).exitCode, code);
  }
});
