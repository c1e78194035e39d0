import { assertEquals } from "../../../deps/assert.ts";
import { Printed } from "./printed.ts";

Deno.test("Printed reads on from where the last part ended, and leaves out nothing", () => {
  const printed = new Printed();
  printed.push("a\nb\nc");
  assertEquals(printed.readOn(4), { output: ["a", "b"], next: 4 });
  printed.push("d\n");
  assertEquals(printed.readOn(4), { output: ["cd"], next: 7 });
  assertEquals(printed.readOn(4), { output: [], next: 7 });
});

Deno.test("Printed reads from a place of the reader's own, which moves no other", () => {
  const printed = new Printed();
  printed.push("ab\n");
  assertEquals(printed.read(1, 100), { output: ["b"], next: 3 });
  assertEquals(printed.read(99, 100), { output: [], next: 3 });
  assertEquals(printed.readOn(100), { output: ["ab"], next: 3 });
});
