/** Calls that wait too long before their code runs, over HTTP. @module */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import type { TestClient } from "./support/client.ts";
import { startHttp } from "./support/http_server.ts";
import { untilFigure } from "./support/open_metrics.ts";

const BUSY =
  /it has waited 0\.5 s.*The code was not run\. Try again in about \d+ s\..*--max-wait/;

const isZero = (figure: number) => figure === 0;

/** Calls until it runs: Python may need longer to get ready than a call may wait. */
async function untilRun(
  { call }: TestClient,
  ...args: Parameters<TestClient["call"]>
) {
  while (true) {
    const called = await call(...args);
    if (called.status !== "busy") return called;
  }
}

/** Holds a slot, and maybe a session; ended by the function that comes. */
async function hold(client: TestClient, session: string) {
  const begun = Promise.withResolvers<void>();
  const end = new AbortController();
  const { signal } = end;
  const held = untilRun(
    client,
    "print('on', flush=True)\nimport time\ntime.sleep(600)",
    { session, timeout: 600 },
    { signal, onprogress: () => begun.resolve() },
  ).then(() => false, () => true);
  await begun.promise;
  return async () => {
    end.abort();
    assert(await held, "it was cancelled");
  };
}

Deno.test("--max-wait: a call that waited too long is busy, has left every queue, and its session goes on", async () => {
  await using server = await startHttp([
    ...["+pool=1", "--max-concurrency", "1", "--max-wait", "0.5"],
  ]);
  await using client = await server.connect("2026-07-28");
  const { structured } = await untilRun(client, "x = 1", {
    session: "new",
  });
  const session = String(structured.session);
  const holders = [
    // Of the only slot.
    { held: "none", asking: ["none", "new", session] },
    // Of the session itself.
    { held: session, asking: [session, "none"] },
  ];
  for (const { held, asking } of holders) {
    const end = await hold(client, held);
    const asked = asking.map((session) =>
      client.call("x = globals().get('x', 0) + 1; x", { session })
    );
    for (const { status, error } of await Promise.all(asked)) {
      assertEquals(status, "busy", error);
      assertMatch(String(error), BUSY);
    }
    const list = await client.client.callTool({ name: "list_sessions" });
    const { sessions } = { sessions: [], ...Object(list.structuredContent) };
    assertEquals(sessions.length, 1, "none was opened");
    await end();
    for (const cause of ["interpreter", "turn", "session", "packages"]) {
      const waiting = `waiting_calls{cause="${cause}"}`;
      await untilFigure(server, "", waiting, isZero);
    }
    await untilFigure(server, "", 'sandboxes{state="busy"}', isZero);
    await untilFigure(server, "", 'share_used{resource="places"}', isZero);
    await untilFigure(
      server,
      "",
      'share_used{resource="sessions"}',
      (n) => n === 1,
    );
    const next = await client.call("x", { session });
    assertEquals(next.returnValue, 1, next.text);
  }
});

Deno.test("a call's timeout counts from when its code runs, and the answer tells how long it waited", async () => {
  await using server = await startHttp([
    ...["+pool=1", "--max-concurrency", "1"],
  ]);
  await using client = await server.connect();
  const begun = Promise.withResolvers<void>();
  const first = client.call(
    "print('on', flush=True)\nimport time\ntime.sleep(3)",
    {},
    { onprogress: () => begun.resolve() },
  );
  await begun.promise;
  const second = await client.client.callTool({
    name: "run_python_code",
    arguments: { python_code: "6 * 7", timeout: 0.5 },
  });
  assertEquals((await first).status, "success");
  assertEquals(Object(second.structuredContent).return_value, 42);
  const waitedMs = Number(second._meta?.["mcp-run-python/waitedMs"]);
  assert(waitedMs > 1000 && Number.isInteger(waitedMs), `${waitedMs}`);
});
