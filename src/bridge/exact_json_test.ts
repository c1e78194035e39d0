import { assertEquals } from "../../deps/assert.ts";
import { toExact, toExactEvents } from "./exact_json.ts";

Deno.test("toExact() has integers beyond 2^53 as the text of their digits, and all else as it is", () => {
  const kept = [
    ...["9007199254740991", "-9007199254740991", "0.12345678901234567"],
    ...["12345678901234567.5", "12345678901234567e1", "1e12345678901234567"],
    ...['"12345678901234567"', '"\\" , 12345678901234567 , \\\\"', "1"],
  ];
  const list = kept.join(", ");
  assertEquals(
    toExact(`{"a":[9007199254740993,${list},-9007199254740993]}`),
    `{"a":["9007199254740993",${list},"-9007199254740993"]}`,
  );
  assertEquals(toExact("[1]"), "[1]");
});

Deno.test("toExactEvents() looks at the data of events alone", () => {
  const other = "id: 9007199254740993\r\n: 9007199254740993\n\n";
  assertEquals(
    toExactEvents(`${other}data: {"a":9007199254740993}\r\n${other}`),
    `${other}data: {"a":"9007199254740993"}\r\n${other}`,
  );
});
