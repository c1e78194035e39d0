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

Deno.test("toResult() hands on the facts of any ending", () => {
  const facts = { exitCode: 3, errorType: "E", errorMessage: "m" };
  const { ending } = success("1");
  assertEquals(toResult({ ending: { ...ending, ...facts } }, "", null), {
    ...{ status: "success", returnValue: 1, output: [] },
    ...facts,
  });
  const failed = { status: "run-error", error: "e", ...facts } as const;
  assertEquals(toResult({ ending: failed }, "", null), {
    ...failed,
    output: [],
  });
});

Deno.test("toResult() says that a value was cut in the sandbox", () => {
  const value = (length: number) => JSON.stringify("v".repeat(length - 2));
  const whole = toResult(success(value(3999)), "", 1000);
  assert(whole.status === "success" && typeof whole.returnValue === "string");
  assertEquals([whole.returnValue.length, whole.truncated], [3997, undefined]);
  const cut = toResult(success(value(4000)), "", 1000);
  assertEquals(cut.truncated, { return_value: 4000 });
  const { ending } = success('["a"]');
  const of = (isCut: boolean) =>
    toResult({ ending: { ...ending, isCut } }, "", 1000);
  assertEquals(of(false).truncated, undefined);
  assertEquals(of(true), {
    ...{ status: "success", returnValue: ["a"], output: [] },
    truncated: { return_value: 5 },
  });
});

Deno.test("toResult() cuts a table's text that a sandbox did not cut", () => {
  const { ending } = success("[]");
  const told = (shown: string) =>
    Object(toResult({ ending: { ...ending, shown } }, "", 1000)).shown;
  assertEquals(told("\ud800"), "\ufffd");
  const noted = "t".repeat(1000 + NOTE_CHARS);
  assertEquals(told(noted), noted);
  const cut = told("t".repeat(5000));
  assert(cut.startsWith("t") && cut.length <= 1000 + NOTE_CHARS);
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
