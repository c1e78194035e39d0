import { assert, assertEquals } from "../../deps/assert.ts";
import { lineWriter } from "./standard_streams.ts";

Deno.test("writeStdout() writes whole pieces of readStdin() in order, and fails once the reader is gone", async () => {
  const module = new URL("./standard_streams.ts", import.meta.url);
  const echo = `
    import { readStdin, writeStdout } from ${JSON.stringify(module)};
    for await (const piece of readStdin()) void writeStdout(piece);
    const { length } = await new Promise((ended) => {
      const failures = [];
      (function again() {
        writeStdout(new Uint8Array(9)).then(again, (error) => {
          failures.push(error);
          if (failures.length < 2) again();
          else ended(failures);
        });
      })();
    });
    console.error(length);
  `;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", echo],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const bytes = new Uint8Array(1 << 20).map((_, index) => index * index);
  const writer = child.stdin.getWriter();
  const written = writer.write(bytes).then(() => writer.close());
  const reader = child.stdout.getReader({ mode: "byob" });
  const { value } = await reader.read(new Uint8Array(bytes.length), {
    min: bytes.length,
  });
  await written;
  assert(value);
  assertEquals(value.findIndex((byte, at) => byte !== bytes[at]), -1);
  await reader.cancel();
  assertEquals(await new Response(child.stderr).text(), "2\n");
  assertEquals((await child.status).code, 0);
});

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
