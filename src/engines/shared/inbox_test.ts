import { assert, assertEquals } from "../../../deps/assert.ts";
import { MOST_HELD, roomOf } from "./backlog.ts";
import { openInbox } from "./follow_run.ts";

/** A message that takes a MiB of room. */
const OUTPUT = (() => {
  const empty = { type: "output", stream: "stdout", text: "" } as const;
  return { ...empty, text: "x".repeat((1 << 20) - roomOf(empty)) };
})();
const MOST_MESSAGES = MOST_HELD / roomOf(OUTPUT);

Deno.test("openInbox() takes a flood for the last word, and hears nothing of it after", async () => {
  const { port1, port2 } = new MessageChannel();
  let words = 0;
  const heard = Promise.withResolvers<void>();
  const isFull = () => {
    if (++words > MOST_MESSAGES) heard.resolve();
  };
  const inbox = openInbox({ onerror: null }, port1, isFull);
  for (let at = 0; at < 2 * MOST_MESSAGES; at++) {
    port2.postMessage(OUTPUT);
  }
  await heard.promise;
  for (let at = 0; at < MOST_MESSAGES; at++) {
    assertEquals((await inbox.next()).type, "output");
  }
  const last = await inbox.next();
  assert(last.type === "broken" && /more at a time/.test(last.reason));
  assertEquals(words, MOST_MESSAGES + 1);
  port2.close();
});

Deno.test("openInbox() takes any number of messages that are read in time", async () => {
  const { port1, port2 } = new MessageChannel();
  const inbox = openInbox({ onerror: null }, port1, () => {});
  for (let at = 0; at < 2 * MOST_MESSAGES; at++) {
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
