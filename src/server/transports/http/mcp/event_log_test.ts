import { assertEquals } from "../../../../../deps/assert.ts";
import { EventLogs } from "./event_log.ts";

const message = (data: string) => ({
  jsonrpc: "2.0" as const,
  method: "notifications/message",
  params: { level: "info", data },
});

Deno.test("EventLogs drops the oldest messages of the largest log", async () => {
  const logs = new EventLogs(1000);
  const [small, large] = [logs.open(), logs.open()];
  const kept = await small.storeEvent("s", message("a"));
  const ids = [];
  for (let count = 0; count < 5; count++) {
    ids.push(await large.storeEvent("s", message("b".repeat(300))));
  }
  assertEquals(await small.getStreamIdForEventId(kept), "s");
  const known = await Promise.all(
    ids.map((id) => large.getStreamIdForEventId(id)),
  );
  assertEquals(known, [undefined, undefined, undefined, "s", "s"]);
  logs.close(large);
  await small.storeEvent("s", message("c".repeat(700)));
  assertEquals(await small.getStreamIdForEventId(kept), "s");
});

Deno.test("EventLog keeps the last 1,000 messages", async () => {
  const log = new EventLogs().open();
  for (let count = 0; count < 1001; count++) {
    await log.storeEvent("s", message(""));
  }
  assertEquals(await log.getStreamIdForEventId("1"), undefined);
  assertEquals(await log.getStreamIdForEventId("2"), "s");
});

Deno.test("EventLogs gives back a log's room once, though the log is closed twice", async () => {
  const logs = new EventLogs(1000);
  const [closed, open] = [logs.open(), logs.open()];
  await closed.storeEvent("s", message("a".repeat(500)));
  logs.close(closed);
  logs.close(closed);
  const oldest = await open.storeEvent("s", message("b".repeat(500)));
  await open.storeEvent("s", message("c".repeat(500)));
  assertEquals(await open.getStreamIdForEventId(oldest), undefined);
});
