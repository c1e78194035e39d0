import { assertEquals, assertRejects } from "../../deps/assert.ts";
import { Lead } from "./lead.ts";

Deno.test("Lead.take() goes on while few bytes are under way, and waits for a line that makes them too many", async () => {
  const lead = new Lead(10);
  const lines = [4, 6, 1].map((bytes) => ({
    bytes,
    ...Promise.withResolvers<void>(),
  }));
  const taken: number[] = [];
  const [one, two, three] = lines.map(({ bytes, promise }) =>
    lead.take(bytes, promise).then(() => taken.push(bytes))
  );
  await Promise.all([one, two]);
  assertEquals(taken, [4, 6]);
  for (const { resolve } of lines) resolve();
  await three;
  assertEquals(taken, [4, 6, 1]);
  await lead.take(10, new Promise(() => {}));
});

Deno.test("Lead.take() fails once a line has failed", async () => {
  const lead = new Lead(10);
  await lead.take(1, Promise.reject(new Error("gone")));
  await assertRejects(() => lead.take(1, Promise.resolve()));
});
