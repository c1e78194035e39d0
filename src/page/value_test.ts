import { assertEquals } from "../../deps/assert.ts";
import { maybeColumns } from "./value.ts";

Deno.test("maybeColumns() knows rows of a table from other values", () => {
  assertEquals(maybeColumns([{ a: 1, b: null }, { b: "x", a: 2 }]), ["a", "b"]);
  const others = [
    ...[1, "text", null, {}, [], [1], [null], [{}], [[1]]],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1 }, { a: [] }],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: 1 }, null],
  ];
  assertEquals(others.map(maybeColumns), others.map(() => undefined));
});
