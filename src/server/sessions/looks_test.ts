import { assertEquals, assertMatch } from "../../../deps/assert.ts";
import type { Json } from "../../protocol/run_result.ts";
import { type Looked, Looks } from "./looks.ts";

/** Looks into a session whose answer to everything is this. */
function lyingLooks(returnValue: Json) {
  return new Looks(() =>
    Promise.resolve({ status: "success", returnValue, output: [] })
  );
}

type Look = (looks: Looks) => Promise<Looked<unknown>>;
const variables: Look = (looks) => looks.variables();
const files: Look = (looks) => looks.files();
const read: Look = (looks) =>
  looks.readFile({ path: "a", offset: 0, limit: 3 });
const write: Look = (looks) => looks.writeFiles([]);
const complete: Look = (looks) => looks.complete("x.a");
const isComplete: Look = (looks) => looks.isComplete("x");

const variable = { name: "x", type: "int", repr: "1" };
const main = { count: 1, variables: [variable], modules: [] };
const file = { path: "a", size: 1, modifiedMs: 0 };

for (
  const [name, look, lies] of [
    ["variables", variables, [
      null,
      [],
      { ...main, count: -1 },
      { ...main, modules: [1] },
      { ...main, modules: "xy" },
      { ...main, variables: [{ ...variable, name: 1 }] },
      { ...main, variables: Array(1001).fill(variable) },
    ]],
    ["files", files, [
      { files: [file] },
      { files: [{ ...file, path: "../a" }], count: 1 },
      { files: [{ ...file, size: 0.5 }], count: 1 },
      { files: Array(1001).fill(file), count: 1001 },
    ]],
    ["readFile", read, [
      { size: 1, base64: 1 },
      { size: 1, base64: "?" },
      { size: -1, base64: "" },
      { size: 9, base64: new Uint8Array(4).toBase64() },
    ]],
    ["writeFiles", write, [null, { leftOut: ["more than there were"] }]],
    ["complete", complete, [
      { word: "other", matches: [] },
      { word: "x.a", matches: Array(101).fill("x.ab") },
      { word: "x.a", matches: [1] },
    ]],
    ["isComplete", isComplete, [{ state: "maybe" }, "complete"]],
  ] as [string, Look, Json[]][]
) {
  Deno.test(`Looks.${name}() takes no answer that is not of its form`, async () => {
    for (const lie of lies) {
      const { found, failed } = await look(lyingLooks(lie));
      assertEquals([found, failed?.status], [undefined, "crashed"]);
    }
  });
}

Deno.test("Looks cuts texts, and drops what is not a number", async () => {
  const long = "\ud800".repeat(1000);
  const { found } = await lyingLooks({
    ...main,
    variables: [{
      ...{ name: long, type: long, repr: long, size: "1", shape: [1.5] },
    }],
  }).variables();
  const cut = "\ufffd".repeat(100);
  assertEquals(found?.variables, [{ name: cut, type: cut, repr: cut }]);
  const listed = await lyingLooks({
    files: [{ ...file, modifiedMs: 1e300 }, { ...file, modifiedMs: 0 }],
    count: 2,
  }).files();
  assertEquals(listed.found?.files, [
    { path: "a", size: 1 },
    { path: "a", size: 1, modified: "1970-01-01T00:00:00.000Z" },
  ]);
  assertEquals(listed.found?.hasMore, false);
});

Deno.test("Looks asks within a time limit, and hands on a failure", async () => {
  const looks = new Looks(({ look, code, timeoutMs }) =>
    Promise.resolve({
      ...{ status: "timeout", output: [] },
      error: `${look} ${code} ${timeoutMs}`,
    })
  );
  const { failed } = await looks.complete("x");
  assertMatch(`${failed?.error}`, /^complete {"text":"x"} \d+$/);
});
