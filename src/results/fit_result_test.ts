import { assert, assertEquals } from "../../deps/assert.ts";
import type { RunResult } from "../protocol/run_result.ts";
import { fitResult } from "./fit_result.ts";
import { parseStructured } from "../../test/support/structured.ts";
import { toStructured, toText } from "./render.ts";

const lines = (count: number) =>
  Array.from({ length: count }, (_, at) => `line ${at}`);
const rows = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ at, half: at / 2 }));

Deno.test("fitResult() gives back a result that fits, and one without a limit", () => {
  const results: RunResult[] = [
    { status: "success", output: ["a".repeat(1000)], returnValue: null },
    {
      status: "success",
      output: ["a".repeat(500)],
      returnValue: "b".repeat(500),
    },
    { status: "timeout", output: [], error: "e".repeat(1000) },
  ];
  for (const result of results) {
    assert(fitResult(result, 1000) === result);
    assert(fitResult(result, 999) !== result);
    assert(fitResult(result, Infinity) === result);
  }
});

Deno.test("fitResult() gives output and value the room that the other leaves", () => {
  const room = ({ output }: RunResult, outcome: string) =>
    [output.join("\n").length, outcome.length].map((length) =>
      Math.round(length / 100)
    );
  const sizes = [[20_000, 1], [0, 20_000], [20_000, 20_000]] as const;
  const rooms = sizes.map(([output, error]) => {
    const cut = fitResult({
      status: "run-error",
      output: ["o".repeat(output)],
      error: "e".repeat(error),
    }, 10_000);
    return room(cut, cut.status === "success" ? "" : cut.error);
  });
  assertEquals(rooms, [[100, 0], [0, 100], [50, 50]]);
});

Deno.test("fitResult() cuts each part, tells its size, and keeps the schema", () => {
  const whole: RunResult = {
    status: "success",
    output: lines(1000),
    returnValue: rows(1000),
    truncated: { files: 7 },
  };
  const cut = fitResult(whole, 2000);
  const text = toText(cut, "xml");
  assert(text.length < 2400, `${text.length}`);
  assert(cut.output[0] === "line 0" && cut.output.at(-1) === "line 999");
  assert(text.includes('{"at":999,"half":499.5}\n]\n</return_value>'), text);
  assert(/\n"… [\d,]+ of 1,000 items left out …",\n/.test(text), text);
  const structured = toStructured(cut);
  assertEquals(parseStructured(structured), structured);
  const { output = 0, return_value: value = 0, files } = cut.truncated ?? {};
  assertEquals([output, files], [lines(1000).join("\n").length, 7]);
  assert(value > 20_000, `${value}`);
});

Deno.test("fitResult() counts what the sandbox has left out", () => {
  const cut = fitResult({
    status: "run-error",
    output: ["o".repeat(2000)],
    error: "e".repeat(2000),
    truncated: { output: 9000, error: 5000 },
  }, 1000);
  assertEquals(cut.truncated, { output: 9000, error: 5000 });
  assertEquals(cut.output[1], "… 8,500 characters left out …");
  assert(cut.status !== "success" && cut.error.includes("… 4,500 char"));
});

Deno.test("fitResult() cuts a table's text between rows, and a value that fits not at all", () => {
  const table = ["   a", ...lines(1000)].join("\n");
  const whole: RunResult = {
    ...{ status: "success", output: [], returnValue: rows(10) },
    shown: table,
  };
  const cut = fitResult(whole, 1000);
  assert(cut.status === "success" && cut.shown !== undefined);
  assertEquals(cut.returnValue, rows(10));
  const shown = cut.shown.split("\n");
  assertEquals([shown[0], shown.at(-1)], ["   a", "line 999"]);
  const others = shown.filter((line) => !table.includes(line));
  assert(/^… [\d,]+ characters left out …$/.test(others.join("\n")), cut.shown);
  assertEquals(cut.truncated, { return_value: table.length });
});
