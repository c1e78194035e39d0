import { SETUP } from "../../test/support/request.ts";
import { assertEquals } from "../../deps/assert.ts";
import { NOTE_CHARS } from "./bounds.ts";
import { type Excess, RunBounds } from "./run_bounds.ts";
import type { RunMessage } from "./run_messages.ts";

function judge(messages: RunMessage[], more: Partial<typeof SETUP> = {}) {
  const bounds = new RunBounds({ ...SETUP, ...more });
  return messages.map((message) => bounds.judge(message));
}

function output(length: number): RunMessage {
  return { type: "output", stream: "stdout", text: "x".repeat(length) };
}

Deno.test("RunBounds takes output up to its limit and a note, and any amount without a limit", () => {
  const most = 1000 + NOTE_CHARS;
  const messages = [output(most - 1), output(1), output(1)];
  const last: Excess = "output";
  assertEquals(judge(messages), [undefined, undefined, last]);
  const unbounded = judge([output(1e6)], { maxOutput: null });
  assertEquals(unbounded, [undefined]);
});

Deno.test("RunBounds takes as many asks as a run may make, and any number of notifications", () => {
  const call = { name: "n", arguments: "1" };
  const ask: RunMessage = { type: "ask", id: 1, ...call };
  const hostCalls = { count: 1, size: 100, timeoutMs: 1 };
  assertEquals(judge([ask, ask], { hostCalls }), [undefined, "calls"]);
  const notify: RunMessage = { type: "notify", ...call };
  assertEquals(judge([notify, notify, ask], { hostCalls }), [
    ...[undefined, undefined, undefined],
  ]);
});

Deno.test("RunBounds takes a call that just fits", () => {
  const hostCalls = { count: 9, size: 100, timeoutMs: 1 };
  for (const type of ["ask", "notify"] as const) {
    const judged = [99, 100].map((length) => {
      const call = { id: 1, name: "n", arguments: "x".repeat(length) };
      return judge([{ type, ...call }], { hostCalls })[0];
    });
    assertEquals(judged, [undefined, "call-size"]);
  }
});

Deno.test("RunBounds takes the pictures, pages and files that a run may send", () => {
  const picture: RunMessage = {
    ...{ type: "display", mimeType: "image/svg+xml", data: "<svg/>" },
  };
  assertEquals(judge([picture, picture, picture]), [
    ...[undefined, undefined, "pictures"],
  ]);
  const page: RunMessage = {
    ...{ type: "display", mimeType: "text/html", data: "<p>" },
    ...{ title: "", about: "" },
  };
  // Each kind has bounds of its own.
  assertEquals(judge([page, picture, page, picture, page]), [
    ...[undefined, undefined, undefined, undefined, "pages"],
  ]);
  const bytes = new Uint8Array(1);
  const file: RunMessage = { type: "file", path: "a", size: 1, bytes };
  assertEquals(judge([file, file]), [undefined, "files"]);
  const files = { bytes: 0, count: 0 };
  const removed: RunMessage = { type: "removed", path: "a" };
  assertEquals(judge([removed]), [undefined]);
  assertEquals(judge([removed], { files }), ["files"]);
});
