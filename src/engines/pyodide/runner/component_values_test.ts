import { loadPyodide } from "pyodide";
import { assertEquals } from "../../../../deps/assert.ts";
import { RUNNER } from "./modules.ts";

const LONG = {
  anyOf: [{ type: "integer" }, { type: "string", pattern: "^-?[0-9]{1,19}$" }],
};
const FLOAT = {
  anyOf: [{ type: "number" }, { enum: ["NaN", "Infinity", "-Infinity"] }],
};
const BYTES = { type: "string", contentEncoding: "base64" };
const SHAPE = {
  anyOf: [
    {
      type: "object",
      properties: { tag: { const: "round" }, value: BYTES },
    },
    {
      type: "object",
      properties: { tag: { const: "flat" }, value: { type: "string" } },
    },
  ],
};

/** Python's value, its schema, and its JSON. */
const CASES: [python: string, schema: object, json: unknown][] = [
  ["1", LONG, 1],
  ["True", { type: "boolean" }, true],
  ["2**53", LONG, "9007199254740992"],
  ["-2**63", LONG, "-9223372036854775808"],
  ["b'\\x00\\xff'", BYTES, "AP8="],
  ["float('nan')", FLOAT, "NaN"],
  ["[float('inf'), -float('inf'), 0.5]", { type: "array", items: FLOAT }, [
    ...["Infinity", "-Infinity", 0.5],
  ]],
  ["'NaN'", { type: "string" }, "NaN"],
  ["'AP8='", { type: "string" }, "AP8="],
  ["None", { anyOf: [LONG, { type: "null" }] }, null],
  ["[2**60, 1]", { type: "array", items: LONG }, ["1152921504606846976", 1]],
  [
    "(2**60, b'a', 'YQ==')",
    { type: "array", prefixItems: [LONG, BYTES, { type: "string" }] },
    ["1152921504606846976", "YQ==", "YQ=="],
  ],
  [
    "{'id': 2**60, 'name': '1'}",
    { type: "object", properties: { id: LONG, name: { type: "string" } } },
    { id: "1152921504606846976", name: "1" },
  ],
  ["{'tag': 'round', 'value': b'a'}", SHAPE, { tag: "round", value: "YQ==" }],
  ["{'tag': 'flat', 'value': 'YQ=='}", SHAPE, { tag: "flat", value: "YQ==" }],
];

const python = await loadPyodide();
python.FS.mkdir("/lib/runner");
const source = RUNNER["component_values.py"] ?? "";
python.FS.writeFile("/lib/runner/component_values.py", source);
python.runPython(`import json, sys; sys.path.append("/lib")
from runner.component_values import to_json, to_python`);

for (const [value, schema, json] of CASES) {
  Deno.test(`to_json() and to_python() convert ${value}, and lose nothing`, () => {
    python.globals.set("schema_text", JSON.stringify(schema));
    python.globals.set("json_text", JSON.stringify(json));
    const told = python.runPython(
      `json.dumps(to_json(${value}, json.loads(schema_text)))`,
    );
    assertEquals(JSON.parse(told), json);
    const read = `to_python(json.loads(json_text), json.loads(schema_text))`;
    assertEquals(
      python.runPython(`repr(${read})`),
      python.runPython(`repr(${value})`),
    );
  });
}
