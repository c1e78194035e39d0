import { assertEquals } from "../../deps/assert.ts";
import { parseExact, toExact } from "./exact_json.ts";

Deno.test("parseExact() has integers beyond 2^53 as the text of their digits, and other numbers as they are", () => {
  const text =
    '{"a":[9007199254740993,-9007199254740993,9007199254740991],"b":1e300,"c":0.12345678901234567,"d":"12345678901234567"}';
  assertEquals(parseExact(text), {
    a: ["9007199254740993", "-9007199254740993", 9007199254740991],
    ...{ b: 1e300, c: 0.12345678901234567, d: "12345678901234567" },
  });
  assertEquals(parseExact("[1]"), [1]);
});

Deno.test("toExact() rewrites JSON, and the data of events, and leaves other lines", () => {
  assertEquals(
    toExact('{"a":\n9007199254740993}'),
    '{"a":"9007199254740993"}',
  );
  assertEquals(
    toExact(
      'id: 9007199254740993\r\ndata: {"a":9007199254740993}\r\n\r\n: 9007199254740993\ndata: no\n',
    ),
    'id: 9007199254740993\r\ndata:{"a":"9007199254740993"}\r\n\r\n: 9007199254740993\ndata: no\n',
  );
});
