import { assert, assertEquals } from "../../deps/assert.ts";
import type { Json, RunResult } from "../protocol/run_result.ts";
import { parseStructured } from "../../test/support/structured.ts";
import { toStructured, toText } from "./render.ts";
import { sumUp } from "./sum_up.ts";

type Success = RunResult & { status: "success" };

const success = (returnValue: Json, more: Partial<Success> = {}): Success => ({
  ...{ status: "success", output: [], returnValue },
  ...more,
});
const lengthOf = (result: RunResult) =>
  JSON.stringify(Object(result).returnValue).length;
const summary = '{"type":"list","length":9000,"head":[1],"tail":[2]}';

Deno.test("sumUp() changes values of more than 4,000 characters only", () => {
  for (const more of [{}, { summary }]) {
    const most = success(["a".repeat(3996)], more);
    assertEquals(lengthOf(most), 4000);
    assert(sumUp(most) === most);
    const long = success(["a".repeat(3997)], more);
    const short = sumUp(long);
    assertEquals(short.truncated, { "return_value": 4001 });
    assert(lengthOf(short) <= 4000, `${lengthOf(short)}`);
  }
  const failed: RunResult = {
    ...{ status: "run-error", output: [], error: "e".repeat(9000) },
  };
  assert(sumUp(failed) === failed);
});

Deno.test("sumUp() counts a text's own characters", () => {
  const most = success("\n".repeat(4000));
  assert(sumUp(most) === most);
  const short = sumUp(success("\n".repeat(4001)));
  assertEquals(short.truncated, { "return_value": 4001 });
});

Deno.test("sumUp() puts Python's summary in the place of a value, and keeps the schema", () => {
  const value = Array.from({ length: 9000 }, (_, at) => at);
  const short = sumUp(success(value, { summary, truncated: { files: 7 } }));
  assertEquals(Object(short).returnValue, JSON.parse(summary));
  assertEquals(short.truncated, { "return_value": 43_891, files: 7 });
  assert(toText(short, "xml").includes(summary));
  const structured = toStructured(short);
  assertEquals(parseStructured(structured), structured);
});

Deno.test("sumUp() leaves a table's text, and all of a text in the text of a result", () => {
  const rows = Array.from({ length: 900 }, (_, a) => ({ a }));
  const table = success(rows, { summary, shown: "the table" });
  assert(toText(sumUp(table), "xml").includes("the table"));
  const text = "word ".repeat(2000);
  const short = sumUp(success(text));
  assert(toText(short, "xml").includes(text));
  const { returnValue } = Object(short);
  assert(returnValue.length < 4100 && returnValue.startsWith("word word"));
  assert(/\n… [\d,]+ characters left out …\n/.test(returnValue));
});

Deno.test("sumUp() trusts no summary: one that is long, deep or broken costs only itself", () => {
  const value = Array.from({ length: 9000 }, () => 1);
  const deep = "[".repeat(5000) + "]".repeat(5000);
  const summaries = [
    ...["", "{", deep, `"${"x".repeat(20_000)}"`],
    `[${Array.from({ length: 7000 }, () => 1)}]`,
    `{"a":"${"x".repeat(9000)}"}`,
  ];
  for (const summary of summaries) {
    const short = sumUp(success(value, { summary }));
    assert(
      lengthOf(short) <= 4100,
      `${summary.slice(0, 9)} ${lengthOf(short)}`,
    );
    assertEquals(short.truncated, { "return_value": 18_001 });
  }
});
