import { assertEquals, assertMatch } from "../../deps/assert.ts";
import { maybeCsvCode } from "./csv_code.ts";

Deno.test("maybeCsvCode() writes a table that has a name, and computes none again", () => {
  assertMatch(
    maybeCsvCode("df = load()\ndf\n") ?? "",
    /df\.to_csv\("df\.csv"\)/,
  );
  assertMatch(maybeCsvCode("it.rows") ?? "", /open\("it\.rows\.csv", "w"/);
  const others = ["load()", "rows[1]", "a + b", "", "# rows", "it.__dict__"];
  assertEquals(others.map(maybeCsvCode), others.map(() => undefined));
});
