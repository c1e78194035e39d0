// deno-lint-ignore-file camelcase -- keys as clients see them
import { assertEquals, assertMatch } from "../../../deps/assert.ts";
import {
  assertProperty,
  jsonValue,
  property,
} from "../../../deps/fast_check.ts";
import { decodeToon, encodeToon } from "../../../deps/toon.ts";
import type { Json } from "../../protocol/run_result.ts";
import type { Payload } from "./payload.ts";
import { toToonText } from "./compact.ts";

const PAYLOAD: Payload = {
  ...{ status: "error", summary: "Exited with code 1", exitCode: 1 },
  stdout: ["a, b", "", "```", "- [1]: x"],
  return_value: { rows: [{ a: 1, b: "x" }, { a: 2, b: "y" }] },
};

/** The text within a fenced block that is all of a text. */
function inFence(text: string, language: string): string {
  const [, inner] =
    new RegExp(`^\`\`\`${language}\\n([^]*)\\n\`\`\`$`).exec(text) ??
      [];
  return String(inner);
}

Deno.test("toToonText() is one block, which decodes to the payload", async () => {
  const inner = inFence(await toToonText(PAYLOAD), "toon");
  assertEquals<unknown>(decodeToon(inner), PAYLOAD);
  assertEquals(Object.keys(Object(decodeToon(inner))), Object.keys(PAYLOAD));
  // No line of it ends the block.
  assertEquals(
    inner.split("\n").filter((line) => /^\s{0,3}```/.test(line)),
    [],
  );
});

Deno.test("toToonText() of any value has no line that ends its block", () => {
  assertProperty(property(jsonValue(), (value) => {
    const payload = { ...PAYLOAD, return_value: value as Json };
    const lines = encodeToon(payload).split("\n");
    assertEquals(lines.filter((line) => /^\s{0,3}```/.test(line)), []);
  }));
});

Deno.test("toToonText() falls back to JSON with sorted keys", async () => {
  const text = await toToonText(
    { ...PAYLOAD, return_value: { b: [{ d: 1, c: 2 }], ["__proto__"]: 1 } },
    () => {
      throw new Error("It cannot");
    },
  );
  assertMatch(text, /^```json\n\{\n {2}"exitCode": 1,\n {2}"return_value": \{/);
  const parsed = JSON.parse(inFence(text, "json"));
  assertEquals(Object.keys(parsed), Object.keys(parsed).sort());
  assertEquals(Object.keys(parsed.return_value), ["__proto__", "b"]);
  assertEquals(Object.keys(parsed.return_value.b[0]), ["c", "d"]);
  assertEquals(parsed.status, "error");
});
