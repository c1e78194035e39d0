import { assertEquals, assertMatch } from "../../../deps/assert.ts";
import { Printed } from "./printed.ts";

Deno.test("Printed reads on from where the last part ended, and leaves out nothing", () => {
  const printed = new Printed();
  printed.push("a\nb\nc");
  const { note, ...first } = printed.readOn(4);
  assertEquals(first, { output: ["a", "b"], next: 4 });
  assertMatch(`${note}`, /^More was printed: get_run with wait 0/);
  printed.push("d\n");
  assertEquals(printed.readOn(4), { output: ["cd"], next: 7 });
  assertEquals(printed.readOn(4), { output: [], next: 7 });
});

Deno.test("Printed says that the rest of a long output comes with the result", () => {
  const printed = new Printed(4);
  printed.push("ab");
  assertEquals(printed.readOn(9).note, undefined);
  printed.push("cd");
  assertMatch(`${printed.readOn(1).note}`, /^More was printed/);
  assertMatch(`${printed.readOn(9).note}`, /too long .*comes with the result/);
});

Deno.test("Printed reads from a place of the reader's own, which moves no other", () => {
  const printed = new Printed();
  printed.push("ab\n");
  assertEquals(printed.read(1, 100), { output: ["b"], next: 3 });
  assertEquals(printed.read(99, 100), { output: [], next: 3 });
  assertEquals(printed.readOn(100), { output: ["ab"], next: 3 });
});
