import { assertEquals } from "../deps/assert.ts";
import { PAGE, probedTables } from "./monty_table.ts";
import { withTables } from "./options_table.ts";

Deno.test("docs/monty.md has the table that the probes make", async () => {
  // Git may give Windows other ends of lines.
  const page = (await Deno.readTextFile(PAGE)).replaceAll("\r\n", "\n");
  assertEquals(
    page,
    withTables(page, await probedTables()),
    "Write the table anew: deno run -A scripts/monty_table.ts",
  );
});
