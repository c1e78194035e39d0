import { assertEquals } from "../../../deps/assert.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import { toCompact, toCompactText } from "./compact.ts";
import { toPayload } from "./payload.ts";
import type { Streams } from "./streams.ts";

const NONE: Streams = { stdout: [], stderr: [] };
const SUCCESS: RunResult = { status: "success", returnValue: null, output: [] };

function show(result: RunResult, streams: Partial<Streams> = {}) {
  const payload = toPayload(result, {
    ...{ servers: ["time"], timeoutSeconds: 2 },
    streams: { ...NONE, ...streams },
  });
  return { text: toCompactText(payload, result), compact: toCompact(payload) };
}

Deno.test("toCompactText() is what was printed, and nothing else if all went well", () => {
  const { text, compact } = show(SUCCESS, { stdout: ["a", "", "b"] });
  assertEquals(text, "a\n\nb");
  assertEquals<unknown>(compact, { status: "success", stdout: ["a", "", "b"] });
});

Deno.test("toCompactText() has stdout, stderr, then the error, and exit and status where they say something", () => {
  const failed: RunResult = {
    ...{ status: "run-error", exitCode: 3, output: [] },
    ...{ error: "Traceback:\nE: no", errorType: "E", errorMessage: "no" },
  };
  const { text, compact } = show(failed, { stdout: ["out"], stderr: ["err"] });
  assertEquals(
    text,
    "out\nstderr:\nerr\nTraceback:\nE: no\nexit: 3\nstatus: error",
  );
  assertEquals<unknown>(compact, {
    ...{ status: "error", summary: "Exited with code 3", exitCode: 3 },
    ...{ stdout: ["out"], stderr: ["err", "Traceback:", "E: no"] },
    error: "E: no",
  });
  const late: RunResult = { status: "timeout", error: "Late.", output: [] };
  assertEquals(
    show(late, { stdout: ["on"] }).text,
    "on\nerror: Late.\nexit: 124\nstatus: timeout",
  );
  const wrong: RunResult = {
    ...{ status: "invalid-arguments", error: "Wrong.", output: [] },
  };
  assertEquals(show(wrong).text, "error: Wrong.\nstatus: validation_error");
});

Deno.test("toCompactText() says that there was no output, and is never empty", () => {
  assertEquals(show(SUCCESS).text, "Success (no output)");
  assertEquals(
    show(SUCCESS, { stdout: ["", " "] }).text,
    "Success (no output)",
  );
  assertEquals(show(SUCCESS).compact.summary, "Success (no output)");
});

Deno.test("toCompactText() shows value, table, pictures, files, notes and session", () => {
  const value = (returnValue: "" | 0 | { a: number }) =>
    show({ ...SUCCESS, returnValue }).text;
  assertEquals(value(0), "return_value: 0");
  assertEquals(value(""), 'return_value: ""');
  assertEquals(value({ a: 1 }), 'return_value: {"a":1}');
  const table = { ...SUCCESS, returnValue: [], shown: "   a\n0  1" };
  assertEquals(show(table).text, "return_value:\n   a\n0  1");
  const all: RunResult = {
    ...SUCCESS,
    images: [{ mimeType: "image/png", data: "aGk=", size: 2, uri: "i" }],
    files: [
      {
        path: "a.txt",
        size: 3,
        mimeType: "text/plain",
        uri: "u",
        text: "hi\n",
      },
      { path: "b", size: 4, mimeType: "text/plain" },
    ],
    truncated: { files: 5, note: "Read on." },
    session: "s",
  };
  assertEquals(
    show(all).text,
    "image: i (image/png, 2 bytes)\nfile: a.txt (3 bytes, u)\nhi\nfile: b (4 bytes)\nfiles: 3 more, in resources/list\ntruncated: Read on.\nsession: s",
  );
});
