import { assert, assertEquals } from "../../deps/assert.ts";
import { MOST_OUTPUT, NOTE_CHARS } from "../protocol/bounds.ts";
import { toResult } from "./to_result.ts";

const success = (value: string) => ({
  ending: { status: "success" as const, value },
});

const REFUSED = {
  status: "crashed",
  error: "The sandbox sent a value that is not JSON, or is too large.",
  output: [],
};

Deno.test("toResult() takes a value that our own encoder could have written, and no other", () => {
  const deepest = "[".repeat(256) + "]".repeat(256);
  assertEquals(toResult(success(deepest), "", null).status, "success");
  const space = (length: number) => " ".repeat(length - 1) + "1";
  for (const limit of [null, 0, 10]) {
    const longest = (4 * (limit ?? MOST_OUTPUT) + 1000) * 6;
    assertEquals(
      toResult(success(space(longest)), "", limit).status,
      "success",
    );
    assertEquals(
      toResult(success(space(longest + 1)), "", limit),
      REFUSED,
    );
  }
  for (const lie of ["", "}{", "NaN", "undefined", `[${deepest}]`]) {
    assertEquals(toResult(success(lie), "", 1000), REFUSED, lie.slice(0, 9));
  }
});

Deno.test("toResult() cuts a value to the limit, whatever the sandbox has left of it", () => {
  const value = JSON.stringify("v".repeat(5000));
  const cut = toResult(success(value), "", 1000);
  assert(cut.status === "success" && typeof cut.returnValue === "string");
  assert(cut.returnValue.length <= 1000 + NOTE_CHARS);
  assertEquals(cut.truncated, { return_value: 5000 });
});

Deno.test("toResult() cuts an error that a sandbox did not cut, and says so", () => {
  const error = "e".repeat(5000);
  for (const status of ["run-error", "timeout", "crashed"] as const) {
    const ending = status === "run-error"
      ? { status, error, exitCode: 1 }
      : { status, error };
    const result = toResult({ ending }, "", 1000);
    assert(result.status !== "success");
    assert(result.error.length <= 1000 + NOTE_CHARS);
    assertEquals(result.truncated, { error: 5000 });
    // A note that stands there already is room that it may take.
    const noted = { ...ending, error: "e".repeat(1000 + NOTE_CHARS) };
    assertEquals(toResult({ ending: noted }, "", 1000), {
      ...noted,
      output: [],
    });
  }
});
