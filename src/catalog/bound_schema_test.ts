import { assert, assertEquals } from "../../deps/assert.ts";
import { readTools, RECORDED } from "../../test/support/recorded_tools.ts";
import { isDeeper } from "../protocol/fields.ts";
import { boundSchema } from "./bound_schema.ts";

Deno.test("boundSchema() gives schemas of real servers as they are", () => {
  for (const { inputSchema } of RECORDED.flatMap(readTools)) {
    assertEquals(boundSchema(inputSchema), inputSchema as never);
  }
});

Deno.test("boundSchema() leaves out what is too deep, and says so", () => {
  let schema: Record<string, unknown> = { type: "string" };
  for (let depth = 0; depth < 1e5; depth++) schema = { items: schema };
  const bound = boundSchema(schema);
  assertEquals(isDeeper(bound, 33), false);
  assertEquals(isDeeper(bound, 32), true);
  assertEquals(bound.$comment, COMMENT);
});

Deno.test("boundSchema() leaves out what is too large, and says so", () => {
  const many = Object.fromEntries(
    Array.from({ length: 1e5 }, (_, at) => [`key ${at}`, { type: "string" }]),
  );
  const large: Record<string, unknown> = {
    properties: { properties: many },
    enum: { enum: Array(1e6).fill("x") },
    "one text": { description: "x".repeat(1e6) },
    "one name": { ["x".repeat(1e6)]: {} },
  };
  for (const [name, schema] of Object.entries(large)) {
    const bound = boundSchema(schema);
    assert(JSON.stringify(bound).length < 1e5, name);
    assertEquals(bound.$comment, COMMENT);
  }
});

Deno.test("boundSchema() reads data that is not a schema as one that allows all", () => {
  for (const data of [null, 1, "x", [], true, undefined]) {
    assertEquals(boundSchema(data), {});
  }
  assertEquals(boundSchema({ default: Infinity, a: undefined }), {
    default: null,
    a: null,
  });
});

Deno.test("boundSchema() keeps names of JavaScript as names", () => {
  const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}');
  assertEquals(JSON.stringify(boundSchema(schema)), JSON.stringify(schema));
});

const COMMENT = "Parts of this schema are left out: it is too large.";
