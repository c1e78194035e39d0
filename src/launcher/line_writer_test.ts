import { assertEquals } from "../../deps/assert.ts";
import { lineWriter } from "./line_writer.ts";

const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("lineWriter() writes lines that come while another is under way at once, in their order", async () => {
  const written: string[] = [];
  const first = Promise.withResolvers<void>();
  const stream = new WritableStream<Uint8Array>({
    async write(bytes) {
      written.push(new TextDecoder().decode(bytes));
      await first.promise;
    },
  });
  const write = lineWriter(stream);
  const one = write(encode("1\n"));
  // The first is under way then.
  await new Promise((resolve) => setTimeout(resolve));
  const more = [write(encode("2\n")), write(encode("3\n"))];
  const closed = write.close();
  first.resolve();
  assertEquals(await Promise.all([one, ...more]), [true, true, true]);
  await closed;
  assertEquals(written, ["1\n", "2\n3\n"]);
  assertEquals(await write(encode("4\n")), false);
});

Deno.test("lineWriter() tells of each line that the reader is gone", async () => {
  const stream = new WritableStream<Uint8Array>({
    write() {
      throw new Error("gone");
    },
  });
  const write = lineWriter(stream);
  const told = [write(encode("1\n")), write(encode("2\n"))];
  assertEquals(await Promise.all(told), [false, false]);
  assertEquals(await write(encode("3\n")), false);
});
