import { assertEquals } from "../../deps/assert.ts";
import { fields } from "./fields.ts";

Deno.test("fields() are an object's own, and none of anything else", () => {
  assertEquals(fields({ a: 1 }), { a: 1 });
  const inherited: unknown = Object.create({ type: "done" });
  assertEquals(fields(inherited).type, undefined);
  class Message {
    own = 1;
    get type() {
      return "done";
    }
  }
  assertEquals(fields(new Message()), { own: 1 });
  for (const other of [null, undefined, 1, "type", true, Symbol(), 1n]) {
    assertEquals(fields(other), {});
  }
});

Deno.test("fields() of a list are none, as one of millions would be copied", () => {
  const list = new Proxy([1, 2, 3], {
    ownKeys() {
      throw new Error("it was copied");
    },
  });
  assertEquals(fields(list), {});
  assertEquals(fields(Object.assign([], { type: "ready" })), {});
});
