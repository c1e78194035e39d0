import { assertEquals } from "../deps/assert.ts";
import { PAGE, withTables } from "./options_table.ts";

Deno.test("docs/configuration.md has the options of src/settings.ts", async () => {
  // Git may give Windows other ends of lines.
  const page = (await Deno.readTextFile(PAGE)).replaceAll("\r\n", "\n");
  assertEquals(
    page,
    withTables(page),
    "Write the tables anew: deno run -A scripts/options_table.ts",
  );
});
