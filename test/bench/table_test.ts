import { assertEquals } from "../../deps/assert.ts";
import { toTable } from "./table.ts";

Deno.test("toTable() lines up what it is given, and is Markdown", () => {
  assertEquals(
    toTable(["what", "wall"], [["spawn → answer", "1 ms"], ["x", "1000 ms"]]),
    [
      "| what           |    wall |",
      "| -------------- | ------: |",
      "| spawn → answer |    1 ms |",
      "| x              | 1000 ms |",
    ].join("\n"),
  );
});

Deno.test("toTable() fills a short row", () => {
  assertEquals(
    toTable(["a", "b"], [["1"]]).split("\n").at(-1),
    "| 1   |     |",
  );
});
