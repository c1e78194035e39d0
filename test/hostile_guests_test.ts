/**
 * The hostile components are what they say: the tests of the walls can rely on them.
 *
 * @module
 */
import { assert, assertEquals, assertRejects } from "../deps/assert.ts";
import { telling } from "./guests/glue_code.ts";
import { HOSTILE } from "./guests/hostile.ts";
import { padded } from "./guests/hostile_bytes.ts";
import { liar, LIES } from "./guests/liar.ts";
import { GUEST_NAMES } from "./support/guests.ts";

const GUESTS = ["rust", "javascript", "types", "wasi", "config", "liar"];

Deno.test("each built component that is no guest is in the list of hostile ones", () => {
  const names = GUEST_NAMES.filter((name) => !GUESTS.includes(name));
  assertEquals(names.filter((name) => !(name in HOSTILE)), []);
});

Deno.test("each hostile file can be read", async () => {
  for (const [name, { read }] of Object.entries(HOSTILE)) {
    assert((await read()).length > 0 || name === "empty", name);
  }
});

Deno.test("a server lies in its mode", async () => {
  const honest = await liar("call-traps");
  for (const mode of Object.keys(LIES) as (keyof typeof LIES)[]) {
    const file = await liar(mode);
    assertEquals(file.length, honest.length, mode);
    assert(toLatin1(file).includes(`mode:${mode}`), mode);
  }
});

Deno.test("code is written into names of the glue's", async () => {
  const text = toLatin1(await telling("Deno.pid"));
  // In the core module, and in the component's alias.
  assertEquals(text.split("t=String(Deno.pid)").length, 3);
  await assertRejects(() => telling("x".repeat(1000)), RangeError);
});

Deno.test("padding makes a component as large as is asked for", async () => {
  assert((await padded(3)).length > 3 << 20);
});

function toLatin1(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}
