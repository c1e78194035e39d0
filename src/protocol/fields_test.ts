import { assertEquals } from "../../deps/assert.ts";
import { countParts, fields, is, readMessage } from "./fields.ts";

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

Deno.test("countParts() counts lists, objects and keys, and none in texts", () => {
  const count = (data: unknown) =>
    countParts(new TextEncoder().encode(JSON.stringify(data)));
  assertEquals([count(1), count([]), count({}), count({ a: [1, 2] })], [
    ...[0, 1, 1, 3],
  ]);
  assertEquals(count([[[]], { a: {}, b: null }]), 7);
  const texts = ['"', "\\", '\\"[', "{[:", '\\\\"{', "é[\u0000"];
  assertEquals(count(texts), 1);
  assertEquals(count({ '"[{:': "" }), 2);
});

Deno.test("readMessage() reads the fields of its form, and refuses another kind or type", () => {
  const forms = { done: { run: is.count, text: is.text } };
  const read = (data: unknown) => readMessage(data, forms);
  assertEquals(read({ type: "done", run: 1, text: "", more: 2 }), {
    type: "done",
    run: 1,
    text: "",
  });
  assertEquals(read({ type: "done", run: "1", text: "" }), undefined);
  assertEquals(read({ type: "done", run: 1 }), undefined);
  assertEquals(read({ type: "toString" }), undefined);
  assertEquals(read({ type: ["done"], run: 1, text: "" }), undefined);
});
