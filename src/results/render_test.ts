import { assert, assertEquals } from "../../deps/assert.ts";
import type { Json, RunResult, Truncated } from "../protocol/run_result.ts";
import { cutText } from "./cut.ts";
import { parseStructured } from "../../test/support/structured.ts";
import { toStructured, toText } from "./render.ts";

Deno.test("toText() leaves out sections that have nothing to say", () => {
  assertEquals(
    toText(success(null, []), "xml"),
    "<status>success</status>",
  );
  assertEquals(
    toText(success(null, ["a", "b"]), "xml"),
    "<status>success</status>\n<output>\na\nb\n</output>",
  );
  assertEquals(
    toText(success(0, []), "xml"),
    "<status>success</status>\n<return_value>\n0\n</return_value>",
  );
});

Deno.test("toText() shows an empty line that was printed", () => {
  assertEquals(
    toText(success(null, [""]), "xml"),
    "<status>success</status>\n<output>\n\n</output>",
  );
});

Deno.test("toText() shows an empty string as an empty element", () => {
  assertEquals(
    toText(success("", []), "xml"),
    "<status>success</status>\n<return_value></return_value>",
  );
});

Deno.test("toText() writes strings raw and all else as JSON, in a line if it is short", () => {
  const long = "x".repeat(380);
  const cases: [Json, string][] = [
    ['a "b"\nc', 'a "b"\nc'],
    [false, "false"],
    [[], "[]"],
    [{ a: [1, "x\ny"] }, '{"a":[1,"x\\ny"]}'],
    [[[1, [2]], long], `[[1,[2]],"${long}"]`],
  ];
  for (const [value, text] of cases) {
    assertEquals(
      toText(success(value, []), "xml"),
      `<status>success</status>\n<return_value>\n${text}\n</return_value>`,
    );
  }
});

Deno.test("toText() shows a table as its text, and toStructured() as its value", () => {
  const table = {
    ...success([{ a: 1 }], []),
    shown: "   a\n0  1 </output>",
  };
  assertEquals(
    toText(table, "xml"),
    "<status>success</status>\n<return_value>\n   a\n0  1 &lt;/output>\n</return_value>",
  );
  const structured: unknown = toStructured(table);
  assertEquals(structured, {
    status: "success",
    output: [],
    return_value: [{ a: 1 }],
  });
  assertEquals(JSON.parse(toText(table, "json")), structured);
});

Deno.test("toText() gives a line to each item of a long value, and none to what is in it", () => {
  const row = [83448.04, 328, { a: [1] }];
  const list = new Array(50).fill(row);
  const text = '[83448.04,328,{"a":[1]}]';
  assertEquals(
    toText(success(list, []), "xml"),
    `<status>success</status>\n<return_value>\n[\n${
      new Array(50).fill(text).join(",\n")
    }\n]\n</return_value>`,
  );
  const object = Object.fromEntries(list.map((row, at) => [`"${at}"`, row]));
  const shown = toText(success(object, []), "xml");
  assert(
    shown.includes(`\n{\n"\\"0\\"": ${text},\n"\\"1\\"": ${text},\n`),
    shown,
  );
  assert(shown.includes(`: ${text}\n}\n</return_value>`), shown);
});

Deno.test("toText() has the error in place of the return value", () => {
  assertEquals(
    toText(failure("Boom", ["a"]), "xml"),
    "<status>run-error</status>\n<output>\na\n</output>\n<error>\nBoom\n</error>",
  );
});

Deno.test("toText() escapes the tags of all sections in every section", () => {
  const tags = ["status", "output", "return_value", "error", "truncated"]
    .flatMap((name) => [
      `<${name}>`,
      `</${name}>`,
      `<${name.toUpperCase()}>`,
      `</ ${name} >`,
      `< / ${name}\n>`,
      `<\t${name} a="b">`,
      `<${name}/>`,
      `<\u200b/\0${name}>`,
      `<${name}`,
    ]);
  for (const tag of tags) {
    const escaped = tag.replace("<", "&lt;");
    assertEquals(
      toText(success(tag, [tag]), "xml"),
      `<status>success</status>\n<output>\n${escaped}\n</output>\n<return_value>\n${escaped}\n</return_value>`,
    );
    assertEquals(
      toText(failure(tag, []), "xml"),
      `<status>run-error</status>\n<error>\n${escaped}\n</error>`,
    );
  }
});

Deno.test("toText() escapes tags within JSON", () => {
  assertEquals(
    toText(success({ "</output>": ["< Error >"] }, []), "xml"),
    `<status>success</status>
<return_value>
{"&lt;/output>":["&lt; Error >"]}
</return_value>`,
  );
});

Deno.test("toText() escapes a tag that is printed in two lines", () => {
  const text = toText(success(null, ["<", "/output>"]), "xml");
  assertEquals(
    text,
    "<status>success</status>\n<output>\n&lt;\n/output>\n</output>",
  );
});

Deno.test("toText() leaves every other angle bracket as it is", () => {
  const text = "a<b <html> <outputs> <error_code> x<output_size <-error &lt;";
  assert(toText(success(text, [text]), "xml").includes(`\n${text}\n`));
});

Deno.test("toText() writes a line of JSON in mode json", () => {
  assertEquals(
    toText(success(null, ["a\nb"]), "json"),
    '{"status":"success","output":["a\\nb"],"return_value":null}',
  );
  assertEquals(
    toText(failure("Boom\n</error>", []), "json"),
    '{"status":"run-error","output":[],"error":"Boom\\n</error>"}',
  );
});

Deno.test("toStructured() has the keys of the contract in its order", () => {
  const cut: RunResult = {
    ...success([1], ["a"]),
    truncated: { output: 7 },
  };
  assertEquals(Object.entries(toStructured(cut)), [
    ["status", "success"],
    ["output", ["a"]],
    ["return_value", [1]],
    ["truncated", { output: 7 }],
  ]);
  assertEquals(Object.keys(toStructured(failure("x", []))), [
    "status",
    "output",
    "error",
  ]);
});

Deno.test("toText() ends with the way to read on", () => {
  const cut: RunResult = {
    ...success(1, []),
    truncated: { return_value: 5, uri: "u", note: "Read u." },
  };
  assertEquals(
    toText(cut, "xml"),
    "<status>success</status>\n<return_value>\n1\n</return_value>\n<truncated>\nRead u.\n</truncated>",
  );
});

Deno.test("toText() says where to read on only if the text was cut, not a table's JSON alone", () => {
  const read = { uri: "u", note: "Read u." };
  const table = "   a\n0  1";
  const cutTable = cutText(table.repeat(50), 100).text;
  for (
    const [shown, cut, isTold] of [
      [table, { return_value: 5 }, false],
      [table, { return_value: 5, output: 9 }, true],
      [cutTable, { return_value: 5 }, true],
    ] as const
  ) {
    const truncated: Truncated = { ...cut, ...read };
    const result: RunResult = { ...success([], []), ...{ shown, truncated } };
    assertEquals(toText(result, "xml").includes("Read u."), isTold);
    assertEquals(toStructured(result).truncated, truncated);
  }
});

Deno.test("OUTPUT_SCHEMA describes every key that toStructured() writes", () => {
  const cut: RunResult = {
    ...success(1, []),
    truncated: { error: 1, uri: "u", note: "n" },
  };
  for (const result of [cut, failure("x", [])]) {
    const structured = toStructured(result);
    assertEquals(parseStructured(structured), structured);
  }
});

function success(returnValue: Json, output: string[]): RunResult {
  return { status: "success", returnValue, output };
}

function failure(error: string, output: string[]): RunResult {
  return { status: "run-error", error, output };
}
