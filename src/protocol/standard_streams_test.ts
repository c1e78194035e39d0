import { assert, assertEquals } from "../../deps/assert.ts";

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
