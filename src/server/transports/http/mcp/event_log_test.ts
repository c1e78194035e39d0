import { assertEquals } from "../../../../../deps/assert.ts";
import { Share } from "../../../../shares.ts";
import { EventLog } from "./event_log.ts";

function openLogs(chars: number) {
  const share = new Share(chars);
  return (caller: string) => new EventLog(caller, share);
}

const message = (data: string) => ({
  jsonrpc: "2.0" as const,
  method: "notifications/message",
  params: { level: "info", data },
});

Deno.test("EventLog drops the oldest messages of the caller that has most", async () => {
  const open = openLogs(1000);
  const [small, large] = [open("a"), open("b")];
  const kept = await small.storeEvent("s", message("a"));
  const ids = [];
  for (let count = 0; count < 5; count++) {
    ids.push(await large.storeEvent("s", message("b".repeat(300))));
  }
  assertEquals(await small.getStreamIdForEventId(kept), "s");
  const known = await Promise.all(
    ids.map((id) => large.getStreamIdForEventId(id)),
  );
  assertEquals(known, [
    ...[undefined, undefined, undefined, undefined, "s"],
  ]);
  large.close();
  await small.storeEvent("s", message("c".repeat(300)));
  assertEquals(await small.getStreamIdForEventId(kept), "s");
});

Deno.test("EventLog keeps the last 1,000 messages", async () => {
  const log = openLogs(2 ** 27)("a");
  for (let count = 0; count < 1001; count++) {
    await log.storeEvent("s", message(""));
  }
  assertEquals(await log.getStreamIdForEventId("1"), undefined);
  assertEquals(await log.getStreamIdForEventId("2"), "s");
});

Deno.test("EventLog gives back a log's room once, though the log is closed twice", async () => {
  const openLog = openLogs(1000);
  const [closed, open] = [openLog("a"), openLog("a")];
  await closed.storeEvent("s", message("a".repeat(500)));
  closed.close();
  closed.close();
  const oldest = await open.storeEvent("s", message("b".repeat(500)));
  await open.storeEvent("s", message("c".repeat(500)));
  assertEquals(await open.getStreamIdForEventId(oldest), undefined);
});
