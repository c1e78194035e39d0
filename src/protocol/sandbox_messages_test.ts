import { assertEquals } from "../../deps/assert.ts";
import { type FilePiece, PIECE_BYTES } from "./run_files.ts";
import {
  decodeToSandbox,
  type FromSandbox,
  parseFromSandbox,
  splitBytes,
  type ToSandbox,
} from "./sandbox_messages.ts";
import { HeldBody } from "./held_body.ts";
import { bytesOf } from "../../test/support/pieces.ts";

const DONE: FromSandbox = {
  ...{ type: "done", run: 1, printed: 0 },
  ending: { status: "run-error", error: "E", exitCode: 1 },
};
const PIECE: FilePiece = {
  ...{ type: "file", path: "a", size: 2, bytes: new Uint8Array([1, 2]) },
};

Deno.test("parseFromSandbox() reads every message, as it is written", () => {
  const messages: FromSandbox[] = [
    { type: "ready" },
    { type: "failed", reason: "r" },
    { type: "started", run: 1 },
    { type: "output", stream: "stderr", text: "t" },
    { ...DONE, ending: { status: "success", value: "null" } },
    { ...DONE, ending: { status: "timeout", error: "late" }, isKept: true },
    { ...DONE, errorLength: 5 },
    DONE,
    { type: "ask", id: 1, name: "n", arguments: "{}" },
    { type: "notify", name: "n", arguments: "{}" },
    PIECE,
    { type: "removed", path: "a" },
  ];
  for (const message of messages) {
    const [json, body] = splitBytes(message);
    const read = parseFromSandbox(JSON.parse(JSON.stringify(json)), body);
    assertEquals(read, message);
  }
});

Deno.test("parseFromSandbox() takes bytes of pieces alone, and no more than a piece has", () => {
  const { bytes: _, ...file } = PIECE;
  const many = new Uint8Array(PIECE_BYTES + 1);
  assertEquals(parseFromSandbox(file, many), undefined);
  assertEquals(parseFromSandbox({ type: "piece" }, many), undefined);
  const body = many.subarray(1);
  assertEquals(parseFromSandbox({ type: "piece" }, body)?.type, "piece");
  assertEquals(parseFromSandbox({ ...file, bytes: "AAAA" }), undefined);
  assertEquals(parseFromSandbox({ type: "piece", bytes: [1] }), undefined);
  for (const other of [DONE, { type: "ready" }, { type: "saved", bytes: 1 }]) {
    assertEquals(parseFromSandbox(other, body), undefined);
  }
  const held = new HeldBody(1, 1, PIECE_BYTES);
  assertEquals(parseFromSandbox({ type: "piece" }, held), {
    ...{ type: "piece", bytes: held },
  });
  assertEquals(parseFromSandbox(file, held), undefined);
  const large = new HeldBody(1, 1, PIECE_BYTES + 1);
  assertEquals(parseFromSandbox({ type: "piece" }, large), undefined);
});

Deno.test("decodeToSandbox() reads messages as they are written", () => {
  const messages: ToSandbox[] = [
    { type: "answer", id: 1, answer: "{}" },
    PIECE,
    { type: "next" },
  ];
  for (const message of messages) {
    const [json, body] = splitBytes(message);
    const line = new TextEncoder().encode(
      `${body ? `+${body.length} ` : ""}${JSON.stringify(json)}`,
    );
    const packet = { line, body: body && bytesOf(body) };
    assertEquals(decodeToSandbox(packet), message);
  }
});

Deno.test("a sandbox process says that a run was cancelled", () => {
  const done = { ...DONE, ending: { status: "cancelled", error: "E" } };
  assertEquals<unknown>(parseFromSandbox(done), done);
  assertEquals(
    parseFromSandbox({ ...done, ending: { status: "cancelled" } }),
    undefined,
  );
});

Deno.test("parseFromSandbox() reads a run's number, sizes and state only if they are of their type", () => {
  for (const lie of ["1", null, undefined, {}, [1]]) {
    assertEquals(parseFromSandbox({ type: "started", run: lie }), undefined);
    assertEquals(parseFromSandbox({ ...DONE, run: lie }), undefined);
    assertEquals(parseFromSandbox({ ...DONE, printed: lie }), undefined);
    assertEquals(parseFromSandbox({ ...DONE, errorLength: lie }), DONE);
    assertEquals(parseFromSandbox({ ...DONE, isKept: lie }), DONE);
  }
});

Deno.test("parseFromSandbox() bounds the figures of a run, and drops those of no sense", () => {
  const read = (used: unknown) =>
    Object(parseFromSandbox({ ...DONE, used })).used;
  const used = { cpuMs: 5, memoryMiB: 3, hosts: ["a.example:443"] };
  assertEquals(read(used), used);
  assertEquals(read({ ...used, cpuMs: "5", more: 1 }), {
    ...{ memoryMiB: 3, hosts: used.hosts },
  });
  for (const lie of [null, "x", {}, [], { ...used, memoryMiB: "3" }]) {
    assertEquals(read(lie), undefined);
  }
  const hosts = [1, {}, "x".repeat(1000), ...Array(1000).fill("h")];
  assertEquals(read({ ...used, hosts }).hosts, Array(97).fill("h"));
});

Deno.test("parseFromSandbox() reads why a process failed only if that is text", () => {
  for (const reason of [undefined, null, 1, ["r"], { length: 1 }]) {
    assertEquals(parseFromSandbox({ type: "failed", reason }), undefined);
  }
});

Deno.test("parseFromSandbox() keeps no more than the protocol knows", () => {
  const extended = JSON.parse(
    '{"type":"ready","__proto__":{"type":"done"},"extra":1}',
  );
  assertEquals(parseFromSandbox(extended), { type: "ready" });
});

Deno.test("parseFromSandbox() refuses messages outside the protocol", () => {
  const lies = [
    null,
    "ready",
    [],
    {},
    { type: "exit" },
    { type: "broken", reason: "r" },
    { ...DONE, ending: { status: "success" } },
    { ...DONE, ending: { status: "denied", error: "" } },
    { ...DONE, ending: null },
  ];
  for (const lie of lies) assertEquals(parseFromSandbox(lie), undefined);
});
