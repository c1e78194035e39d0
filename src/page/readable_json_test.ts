import { assertEquals } from "../../deps/assert.ts";
import { toReadable } from "./readable_json.ts";

Deno.test("toReadable() writes a line for each part that is not short", () => {
  const row = Array.from({ length: 30 }, (_, at) => at * 100);
  const value = { rows: [row, [1, null]], short: { a: [], b: "x" }, empty: {} };
  assertEquals(
    toReadable(value),
    `{
  "rows": [
    [${row.join(", ")}],
    [1, null]
  ],
  "short": {"a": [], "b": "x"},
  "empty": {}
}`,
  );
  assertEquals(JSON.parse(toReadable(value)), value);
});
