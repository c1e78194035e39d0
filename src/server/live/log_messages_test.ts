import { assert, assertEquals } from "../../../deps/assert.ts";
import type { LoggingLevel } from "../../../deps/mcp_server.ts";
import { LogMessages } from "./log_messages.ts";

Deno.test("a client of 2025 hears of the level that it set, and of nothing before", async () => {
  const logMessages = new LogMessages();
  const got: unknown[] = [];
  const { signal } = new AbortController();
  const log = (level: LoggingLevel) => Promise.resolve(void got.push(level));
  const hear = async () => {
    const logs = logMessages.open({ signal, log });
    for (const level of ["debug", "info", "warning"] as const) {
      logs.log(level, "");
    }
    await logs.close();
    return got.splice(0);
  };
  assertEquals(await hear(), []);
  logMessages.setLevel("info");
  assertEquals(await hear(), ["info", "warning"]);
});

Deno.test("a client that cancelled its call hears no more of it", async () => {
  const cancel = new AbortController();
  const got: unknown[] = [];
  const logs = new LogMessages().open({
    envelope: {},
    signal: cancel.signal,
    log: (_, text) => Promise.resolve(void got.push(text)),
  });
  logs.log("info", "before");
  await logs.close();
  cancel.abort();
  logs.log("info", "after");
  await logs.close();
  assertEquals(got, ["before"]);
});

/** A client that reads nothing before it is told to. */
function openSleeper() {
  const awake = Promise.withResolvers<void>();
  const got: [LoggingLevel, unknown][] = [];
  const cancel = new AbortController();
  const { signal } = cancel;
  const log = async (level: LoggingLevel, data: unknown) => {
    got.push([level, data]);
    await awake.promise;
  };
  return {
    got,
    awake,
    cancel,
    logs: new LogMessages().open({ envelope: {}, signal, log }),
  };
}

Deno.test("lines that wait when a call is cancelled are not sent", async () => {
  const { got, awake, cancel, logs } = openSleeper();
  for (const line of ["on its way", "waits"]) logs.log("info", line);
  cancel.abort();
  awake.resolve();
  await logs.close();
  assertEquals(got, [["info", "on its way"]]);
});

Deno.test("each line is a log message", async () => {
  const { got, awake, logs } = openSleeper();
  for (const line of ["a", "b", "", "c"]) logs.log("info", line);
  awake.resolve();
  await logs.close();
  assertEquals(got, [["info", "a"], ["info", "b"], ["info", ""], [
    "info",
    "c",
  ]]);
});

Deno.test("lines that a client is too slow for wait, and are joined", async () => {
  const { got, awake, logs } = openSleeper();
  const lines = Array.from({ length: 100_000 }, (_, at) => `${at}`);
  for (const line of lines) logs.log("info", line);
  logs.log("warning", "last");
  assertEquals(got.length, 1);
  awake.resolve();
  await logs.close();
  assert(got.length < 2000, `${got.length}`);
  for (const [, text] of got) assert(String(text).length <= 10_000);
  assertEquals(
    got.map(([, text]) => text).join("\n"),
    [...lines, "last"].join("\n"),
  );
  assertEquals(got.at(-1), ["warning", "last"]);
});
