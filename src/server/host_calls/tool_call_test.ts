import { assertEquals } from "../../../deps/assert.ts";
import { canonicalJson, hashOfJson } from "./tool_call.ts";

Deno.test("canonicalJson() sorts the keys at every depth, and keeps lists as they are", () => {
  assertEquals(
    canonicalJson({ b: [{ y: null, x: 1.0 }], a: "é\n", "10": true, "9": {} }),
    '{"10":true,"9":{},"a":"é\\n","b":[{"x":1,"y":null}]}',
  );
  assertEquals(
    canonicalJson(JSON.parse('{"__proto__": 1, "B": 2}')),
    '{"B":2,"__proto__":1}',
  );
});

Deno.test("hashOfJson() tells values apart, and not the orders of their keys", () => {
  assertEquals(hashOfJson({ a: 1, b: 2 }), hashOfJson({ b: 2, a: 1 }));
  assertEquals(
    hashOfJson({}),
    "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
  );
});
