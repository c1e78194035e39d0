import { assert, assertEquals } from "../../../deps/assert.ts";
import { MOST_HELD } from "./worker/backlog.ts";
import { openInbox } from "./inbox.ts";

const TEXT = "x".repeat(1 << 20);
const OUTPUT = { type: "output", stream: "stdout", text: TEXT } as const;

Deno.test("openInbox() takes a flood for the last word, and hears nothing of it after", async () => {
  const { port1, port2 } = new MessageChannel();
  let words = 0;
  const heard = Promise.withResolvers<void>();
  const isFull = () => {
    if (++words > MOST_HELD / TEXT.length) heard.resolve();
  };
  const inbox = openInbox({ onerror: null }, port1, isFull);
  for (let at = 0; at < 2 * MOST_HELD / TEXT.length; at++) {
    port2.postMessage(OUTPUT);
  }
  await heard.promise;
  for (let at = 0; at < MOST_HELD / TEXT.length; at++) {
    assertEquals((await inbox.next()).type, "output");
  }
  const last = await inbox.next();
  assert(last.type === "broken" && /more at a time/.test(last.reason));
  assertEquals(words, MOST_HELD / TEXT.length + 1);
  port2.close();
});

Deno.test("openInbox() takes any number of messages that are read in time", async () => {
  const { port1, port2 } = new MessageChannel();
  const inbox = openInbox({ onerror: null }, port1, () => {});
  for (let at = 0; at < 2 * MOST_HELD / TEXT.length; at++) {
    port2.postMessage(OUTPUT);
    assertEquals((await inbox.next()).type, "output");
  }
  port1.close();
  port2.close();
});

Deno.test("openInbox() tells of each word before it reads the word", async () => {
  const { port1, port2 } = new MessageChannel();
  const told: string[] = [];
  const inbox = openInbox({ onerror: null }, port1, () => told.push("word"));
  port2.postMessage({ type: "nonsense" });
  const { type } = await inbox.next();
  assertEquals([...told, type], ["word", "broken"]);
  port1.close();
  port2.close();
});
