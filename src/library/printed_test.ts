import { assertEquals } from "../../deps/assert.ts";
import { Printed } from "./printed.ts";

Deno.test("Printed gives each line as it ends, from the first to each reader, and lines drawn again once", async () => {
  const printed = new Printed();
  printed.take("stdout", "first\nha");
  const [early, live] = [printed.read(), printed.read()];
  assertEquals((await early.next()).value, "first");
  await live.next();
  const next = live.next();
  printed.take("stderr", "0%");
  printed.take("stderr", "\r100%\r\n");
  assertEquals((await next).value, "100%");
  printed.take("stdout", "lf\n\nrest");
  printed.end();
  const lines = ["first", "100%", "half", "", "rest"];
  assertEquals(await collect(early), lines.slice(1));
  assertEquals(await collect(live), lines.slice(2));
  assertEquals(await collect(printed.read()), lines);
});

Deno.test("Printed: a run that prints nothing has no line", async () => {
  const printed = new Printed();
  const lines = collect(printed.read());
  printed.take("stdout", "");
  printed.end();
  assertEquals(await lines, []);
});

async function collect(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}
