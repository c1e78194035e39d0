import { assertEquals } from "../deps/assert.ts";
import { PAGES, withTables } from "./options_table.ts";

Deno.test("tables of docs/ have the rows of the source", async () => {
  for (const { page: url, tables } of PAGES) {
    // Git may give Windows other ends of lines.
    const page = (await Deno.readTextFile(url)).replaceAll("\r\n", "\n");
    assertEquals(
      page,
      withTables(page, tables()),
      "Write the tables anew: deno run -A scripts/options_table.ts",
    );
  }
});
