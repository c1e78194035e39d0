import { assert, assertEquals } from "../../../deps/assert.ts";
import type { RunResult, Status } from "../../protocol/run_result.ts";
import { type PayloadCall, toPayload } from "./payload.ts";

const CALL: PayloadCall = {
  ...{ servers: ["time"], timeoutSeconds: 30 },
  streams: { stdout: [], stderr: [] },
};
const SUCCESS: RunResult = { status: "success", returnValue: null, output: [] };
const TRACEBACK =
  'Traceback (most recent call last):\n  File "main.py", line 1\nZeroDivisionError: division by zero\nA hint.';
const FAILED: RunResult = {
  ...{ status: "run-error", error: TRACEBACK, exitCode: 1, output: [] },
  ...{ errorType: "ZeroDivisionError", errorMessage: "division by zero" },
};

/** A result of any status but the two that have more. */
function ended(status: Exclude<Status, "success" | "run-error">): RunResult {
  return { status, error: "E.", output: [] };
}

Deno.test("toPayload() has the keys of the contract in its order, and no empty key", () => {
  const streams = { stdout: ["a"], stderr: ["b"] };
  const image = {
    ...{ mimeType: "image/png", data: "aGk=", size: 2, uri: "u" } as const,
  };
  const file = { path: "f", size: 1, mimeType: "text/plain" };
  const session = "s";
  const more = { images: [image], files: [file], session };
  const keys = (result: RunResult) =>
    Object.keys(toPayload({ ...result, ...more }, { ...CALL, streams }));
  assertEquals(keys({ ...SUCCESS, returnValue: 1 }), [
    ...["status", "summary", "exitCode", "servers", "stdout", "stderr"],
    ...["return_value", "images", "files", "session"],
  ]);
  assertEquals(keys(ended("timeout")), [
    ...["status", "summary", "exitCode", "servers", "stdout", "stderr"],
    ...["error", "timeoutSeconds", "images", "files", "session"],
  ]);
  assertEquals(toPayload(SUCCESS, { ...CALL, servers: [] }), {
    ...{ status: "success", summary: "Success (no output)", exitCode: 0 },
  });
});

Deno.test("toPayload() maps each ending to its status and exit code, and success alone to success", () => {
  const endings = {
    "install-error": ["error", undefined],
    "memory-limit": ["error", 137],
    "cancelled": ["error", undefined],
    "crashed": ["error", undefined],
    "busy": ["error", undefined],
    "denied": ["error", undefined],
    "session-lost": ["error", undefined],
    "timeout": ["timeout", 124],
    "invalid-arguments": ["validation_error", undefined],
  } as const;
  for (const [status, expected] of Object.entries(endings)) {
    const result = ended(status as keyof typeof endings);
    const payload = toPayload(result, CALL);
    assertEquals([payload.status, payload.exitCode], [...expected], status);
    assertEquals(payload.error, "E.");
    assert(!payload.summary.includes("Success"), status);
  }
  for (const exitCode of [1, 3, 130]) {
    const { status, exitCode: code } = toPayload({ ...FAILED, exitCode }, CALL);
    assertEquals([status, code], ["error", exitCode]);
  }
  assertEquals(toPayload(SUCCESS, CALL).exitCode, 0);
});

Deno.test("toPayload() has an exception's traceback in stderr, behind what was printed there, and its own lines as error", () => {
  const streams = { stdout: ["out"], stderr: ["err"] };
  const { stdout, stderr, error } = toPayload(FAILED, { ...CALL, streams });
  assertEquals(stdout, ["out"]);
  assertEquals(stderr, ["err", ...TRACEBACK.split("\n")]);
  assertEquals(error, "ZeroDivisionError: division by zero\nA hint.");
  const exit: RunResult = {
    ...{ status: "run-error", exitCode: 3, output: [] },
    error: "SystemExit: 3\nThe code ended itself with exit code 3.",
    ...{ errorType: "SystemExit", errorMessage: "3" },
  };
  assertEquals(toPayload(exit, CALL).error, exit.error);
  const bare: RunResult = {
    ...{ status: "run-error", exitCode: 1, output: [] },
    error: `a\n${"e".repeat(1000)}\n`,
  };
  assertEquals(toPayload(bare, CALL).error, "e".repeat(500));
});

Deno.test("toPayload() says of blank output alone that there was none", () => {
  const summary = (result: RunResult, stdout: string[] = []) =>
    toPayload(result, { ...CALL, streams: { stdout, stderr: [] } }).summary;
  assertEquals(summary(SUCCESS), "Success (no output)");
  assertEquals(summary(SUCCESS, ["", "  \t"]), "Success (no output)");
  assertEquals(summary(SUCCESS, ["", "x"]), "Success");
  assertEquals(summary({ ...SUCCESS, returnValue: 0 }), "Success");
  const file = { path: "f", size: 1, mimeType: "text/plain" };
  assertEquals(summary({ ...SUCCESS, files: [file] }), "Success");
  assertEquals(summary(FAILED), "Exited with code 1");
  assertEquals(summary(ended("timeout")), "Timed out after 30 s");
});

Deno.test("toPayload() keeps what a run printed before its time was over", () => {
  const streams = { stdout: ["one", "two"], stderr: ["three"] };
  const { stdout, stderr, timeoutSeconds } = toPayload(ended("timeout"), {
    ...CALL,
    streams,
  });
  assertEquals([stdout, stderr, timeoutSeconds], [
    ...[["one", "two"], ["three"], 30],
  ]);
});

Deno.test("toPayload() cuts the streams of a result to the room that the result has", () => {
  const line = "x".repeat(99);
  const streams = { stdout: Array(100).fill(line), stderr: ["e"] };
  const { stdout = [], stderr, truncated } = toPayload({
    ...SUCCESS,
    ...{ output: ["y".repeat(1000)], truncated: { output: 10_001, note: "n" } },
  }, { ...CALL, streams });
  const { length } = stdout.join("\n");
  assert(length <= 1000 + 200 && length > 500, `${length}`);
  assertEquals(stderr, ["e"]);
  assertEquals(truncated, { output: 10_001, note: "n" });
});
