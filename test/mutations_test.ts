/**
 * The list of `deno task mutate`, without running it: an entry that no longer
 * fits the source would weaken nothing.
 *
 * @module
 */
import { assert, assertEquals } from "../deps/assert.ts";
import { MUTATIONS } from "./mutations/mutations.ts";

const read = (file: string) =>
  Deno.readTextFileSync(new URL(`../${file}`, import.meta.url));

Deno.test("every mutation has a text that is once in its file", () => {
  for (const { name, file, text, replacement } of MUTATIONS) {
    assertEquals(read(file).split(text).length, 2, `${name} (${file})`);
    assert(text !== replacement, name);
  }
});

Deno.test("every mutation names tests that there are", () => {
  for (const { name, tests, filter = "" } of MUTATIONS) {
    assert(tests.length > 0, name);
    assert(tests.map(read).join("\n").includes(filter), `${name}: ${filter}`);
  }
});

Deno.test("no two mutations have one name", () => {
  const names = MUTATIONS.map(({ name }) => name);
  assertEquals([...new Set(names)], names);
});
