import { assertEquals } from "../../deps/assert.ts";
import { readEvents } from "./mcp_client.ts";

Deno.test("readEvents() joins pieces, in each spelling of a line's end", async () => {
  const text = ": hello\n\nevent: message\ndata: one\ndata:two\n\n" +
    "data: ü\r\n\r\nid: 1\n\ndata: last\n\ndata: cut";
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 7, bytes.length]) {
    const pieces = Array.from(
      { length: Math.ceil(bytes.length / size) },
      (_, at) => bytes.slice(at * size, (at + 1) * size),
    );
    const got = await Array.fromAsync(readEvents(ReadableStream.from(pieces)));
    assertEquals(got, ["one\ntwo", "ü", "last"]);
  }
});
