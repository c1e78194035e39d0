/**
 * Sessions, by the official client over real stdio, in both protocol eras.
 *
 * @module
 */
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../deps/assert.ts";
import {
  type CallOptions,
  ERAS,
  startServer,
  type TestServer,
} from "./support/server.ts";
import { shareServer } from "./support/shared_server.ts";

/** Opens a session; gives its handle and a way to run in it. */
async function openSession(server: TestServer, code = "None") {
  const opened = await server.call(code, { session: "new" });
  const { session } = opened.structured;
  assert(typeof session === "string", opened.text);
  return {
    ...{ session, opened },
    run: (code: string, args = {}, options: CallOptions = {}) =>
      server.call(code, { session, ...args }, options),
  };
}

async function listSessions({ client }: TestServer) {
  const { structuredContent } = await client.callTool({
    ...{ name: "list_sessions", arguments: {} },
  });
  return Object(structuredContent).sessions;
}

for (const era of ERAS) {
  Deno.test(`${era}: a handle goes on where its last call left off`, async () => {
    const server = await shareServer([], era);
    const { session, opened, run } = await openSession(
      server,
      "import math\ndef area(r): return math.pi * r ** 2\nopen('a', 'w').write('kept')\nx = 1",
    );
    assert(opened.text.endsWith(`<session>\n${session}\n</session>`));
    const next = await run("x += 1; [x, round(area(1), 2), open('a').read()]");
    assertEquals(next.returnValue, [2, 3.14, "kept"]);
    assertEquals(next.structured.session, session);
    for (const args of [{}, { session: "none" }]) {
      const fresh = await server.call("'x' in globals()", args);
      assertEquals(fresh.returnValue, false);
      assertEquals(fresh.structured.session, undefined);
    }
    const listed = (await listSessions(server))
      .find((one: { session: string }) => one.session === session);
    assertEquals([listed.runs, listed.state], [2, "ready"]);
    const ended = await server.client.callTool({
      ...{ name: "end_session", arguments: { session } },
    });
    assert(!ended.isError);
    const gone = await run("x");
    assertEquals(gone.status, "invalid-arguments");
    assertMatch(String(gone.error), new RegExp(`no session "${session}"`));
  });

  Deno.test(`${era}: a session is a resource, which shows its variables and files`, async () => {
    const server = await shareServer([], era);
    const code =
      "import json as j\nname = 'x' * 200\nopen('a.txt', 'w').write('é')";
    const { session, run } = await openSession(server, code);
    const uri = `run-python://sessions/${session}`;
    const read = async () => {
      const { contents: [it] } = await server.client.readResource({ uri });
      return JSON.parse(Object(it).text);
    };
    const { resources } = await server.client.listResources();
    assert(resources.some((one) => one.uri === uri));
    const { resourceTemplates } = await server.client.listResourceTemplates();
    assertEquals(
      resourceTemplates.at(-1)?.uriTemplate,
      "run-python://sessions/{session}",
    );
    const { created, used, memoryMiB, variables, files, ...rest } =
      await read();
    assertEquals(rest, { session, runs: 1, state: "ready", modules: ["j"] });
    assert(Date.parse(created) <= Date.parse(used) && memoryMiB >= 0);
    assertEquals(
      variables.map(({ size: _, ...one }: { size: number }) => one),
      [{ name: "name", type: "str", repr: `'${"x".repeat(98)}…` }],
    );
    const [{ path, size, modified }] = files;
    assertEquals([path, size, modified.length], ["a.txt", 2, 24]);

    const cancelling = new AbortController();
    const { promise: hasBegun, resolve: onprogress } = Promise
      .withResolvers<void>();
    const running = run(
      "notify_progress('begun')\nimport asyncio; await asyncio.sleep(1000)",
      {},
      { signal: cancelling.signal, onprogress },
    ).catch(() => {});
    await hasBegun;
    const meanwhile = await read();
    assertEquals(
      [meanwhile.state, meanwhile.runs, meanwhile.variables],
      ["running", 1, undefined],
    );
    assertMatch(meanwhile.note, /Code is running/);
    cancelling.abort();
    await running;
    assertEquals((await run("len(name)")).returnValue, 200);
    await run("import os; os.abort()");
    const lost = await read();
    assertEquals([lost.state, lost.variables], ["lost", undefined]);
    // It was not told yet.
    assertEquals((await run("1")).status, "session-lost");
    await server.client.callTool({
      ...{ name: "end_session", arguments: { session } },
    });
    await assertRejects(read, {
      message: new RegExp(`no session "${session}"`),
    });
  });

  Deno.test(`${era}: calls of a session run in the order they came, and sessions side by side`, async () => {
    const server = await shareServer([], era);
    const one = await openSession(server, "seen = []");
    const two = await openSession(server, "seen = []");
    const numbers = [...Array(10).keys()];
    const calls = numbers.flatMap((number) => [
      one.run(`seen.append(${number}); seen[:]`),
      two.run(`seen.append(100 + ${number}); seen[:]`),
    ]);
    const values = (await Promise.all(calls)).map((call) => call.returnValue);
    assertEquals(values.at(-2), numbers);
    assertEquals(values.at(-1), numbers.map((number) => 100 + number));
  });

  Deno.test(`${era}: a session goes on after a timeout, and tells of a lost state once`, async () => {
    const server = await shareServer([], era);
    const { session, run } = await openSession(server, "x = 1");
    const stopped = await run("x = 2\nwhile True: pass", { timeout: 0.3 });
    assertEquals(stopped.status, "timeout");
    assertMatch(String(stopped.error), /The session goes on/);
    assertEquals((await run("x")).returnValue, 2);
    const crashed = await run("import os; os.abort()");
    assertEquals(crashed.status, "crashed");
    assertMatch(String(crashed.error), /The session's state is gone/);
    const told = await run("x");
    assertEquals(told.status, "session-lost");
    assertMatch(String(told.error), /The code was not run/);
    const anew = await run("'x' in globals()");
    assertEquals([anew.returnValue, anew.structured.session], [false, session]);
  });
}

Deno.test("--stateful keeps the state of calls that name no session", async () => {
  for (const era of ERAS) {
    await using server = await startServer(["--stateful"], era);
    await server.call("x = 1");
    const next = await server.call("x + 1");
    assertEquals([next.returnValue, next.structured.session], [2, undefined]);
    const fresh = await server.call("'x' in globals()", { session: "none" });
    assertEquals(fresh.returnValue, false);
    await server.client.callTool({ name: "end_session", arguments: {} });
    assertEquals((await server.call("'x' in globals()")).returnValue, false);
  }
});

Deno.test("--no-sessions offers none", async () => {
  await using server = await startServer(["--no-sessions"]);
  const { tools } = await server.client.listTools();
  assertEquals(tools.map(({ name }) => name), ["run_python_code"]);
  const refused = await server.call("1", { session: "new" });
  assertEquals(refused.status, "invalid-arguments");
  assertMatch(String(refused.error), /Unknown argument "session"/);
});
