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
  listen,
  startServer,
  type TestServer,
  VIA,
  WANTED,
} from "./support/server.ts";
import { untilIdle } from "./bench/idle.ts";
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

/** A session as `list_sessions` shows it; undefined if it does not. */
async function maybeListed({ client }: TestServer, session: string) {
  const { structuredContent } = await client.callTool({
    ...{ name: "list_sessions", arguments: {} },
  });
  const { sessions }: { sessions: Record<string, unknown>[] } = Object(
    structuredContent,
  );
  return sessions.find((one) => one.session === session);
}

function endSession({ client }: TestServer, session: unknown) {
  return client.callTool({ name: "end_session", arguments: { session } });
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
    const listed = await maybeListed(server, session);
    assertEquals([listed?.runs, listed?.state], [2, "ready"]);
    assert(!(await endSession(server, session)).isError);
    const gone = await run("x");
    assertEquals(gone.status, "session-lost");
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
    // Looking told nothing.
    const { structured } = await run("1");
    assertMatch(String(structured.resumed), /starts from nothing/);
    assertEquals((await read()).state, "ready");
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
    assertMatch(String(crashed.error), /state is gone.* from nothing\.$/);
    const anew = await run("'x' in globals()");
    assertEquals([anew.returnValue, anew.structured.session], [false, session]);
    assertMatch(anew.text, /starts from nothing, as its earlier state is gone/);
    const { returnValue, structured } = await run("1 + 1");
    assertEquals([returnValue, structured.resumed], [2, undefined]);
  });

  Deno.test(`${era}: a wrong handle is refused, and no code runs`, async () => {
    const server = await shareServer([], era);
    const other = await shareServer([], ERAS.find((one) => one !== era));
    const { session: others } = await openSession(other);
    const wrong: [unknown, RegExp][] = [
      [7, /session must be a string, not a number/],
      [null, /session must be a string/],
      [["new"], /session must be a string/],
      ["", /session/],
      ["x".repeat(10_000), /session/],
      [others, /There is no session/],
      [others.toUpperCase(), /There is no session/],
      ["NEW", /There is no session/],
      ["__proto__", /There is no session/],
      ["\ud800", /There is no session/],
    ];
    for (const [session, expected] of wrong) {
      const refused = await server.call("print('ran')", { session });
      const status = session === others ? "session-lost" : "invalid-arguments";
      assertEquals([refused.status, refused.output], [status, []]);
      assertMatch(String(refused.error), expected);
      assert(refused.text.length < 1000);
      const unended = await endSession(server, session);
      assert(unended.isError);
      assertMatch(JSON.stringify(unended.content), expected);
    }
    assertEquals(await maybeListed(server, others), undefined);
    assert((await endSession(server, undefined)).isError);
  });

  Deno.test(`${era}: a call of a session has all that a call has`, async () => {
    const server = await shareServer([], era);
    const { run } = await openSession(server);
    const { told } = listen(server);
    const first = await server.call(
      `
class Picture:
    def _repr_svg_(self): return "<svg/>"
display(Picture())
notify_progress("half", 1, 2)
open("b", "w").write(open("a").read() + text)
print("printed")`,
      {
        session: (await openSession(server)).session,
        files: [{ path: "a", text: "put" }],
        global_variables: { text: " and bound" },
      },
      WANTED,
    );
    assertEquals(first.output, ["printed"], first.text);
    assertMatch(JSON.stringify(first.structured.files), /"path":"b"/);
    assertMatch(JSON.stringify(first.structured.images), /svg/);
    assertEquals(told, [{ progress: 1, total: 2, message: "half" }]);
    await run("", {
      files: [{ path: "a", text: "put" }],
      global_variables: { text: "bound" },
    });
    const next = await run("open('a').read(), text", {
      global_variables: { other: 1 },
    });
    assertEquals(next.returnValue, ["put", "bound"]);
    assertEquals(next.structured.files, undefined);
  });

  Deno.test(`${era}: a cancelled call leaves the state, and does not run if it waits for its turn`, async () => {
    const server = await shareServer([], era);
    const { session, run } = await openSession(server, "seen = []");
    const running = new AbortController();
    const waiting = new AbortController();
    const on = Promise.withResolvers<void>();
    const first = server.call(
      "seen.append(1); notify_progress('on')\nwhile True: pass",
      { session },
      { signal: running.signal, onprogress: on.resolve },
    );
    await on.promise;
    const calls = [
      first,
      server.call("seen.append(2)", { session }, { signal: waiting.signal }),
    ];
    const next = run("seen");
    waiting.abort();
    running.abort();
    for (const call of calls) await assertRejects(() => call);
    assertEquals((await next).returnValue, [1]);
  });

  Deno.test(`${era}: end_session ends what runs and what waits, and says that the state is gone`, async () => {
    const server = await shareServer([], era);
    const { session, run } = await openSession(server);
    const on = Promise.withResolvers<void>();
    const running = server.call(
      "notify_progress('on')\nimport time; time.sleep(1000)",
      { session },
      { onprogress: on.resolve },
    );
    const waiting = run("1");
    await on.promise;
    const listed = await maybeListed(server, session);
    const { created, used, memoryMiB, ...rest } = { ...listed };
    assertEquals(rest, { session, runs: 1, state: "running" });
    assert(Number.isInteger(memoryMiB));
    assert(String(created) <= String(used));
    for (const time of [created, used]) {
      assertEquals(new Date(String(time)).toISOString(), time);
    }
    const ended = await endSession(server, session);
    assert(!ended.isError);
    for (const call of [await running, await waiting]) {
      assertEquals(call.status, "cancelled");
      assertMatch(String(call.error), /state is gone/);
      assertEquals(call.structured.session, undefined);
    }
    assertEquals(await maybeListed(server, session), undefined);
    assertEquals((await run("1")).status, "session-lost");
  });
}

Deno.test({
  name:
    "sessions share the places to run; a call for which there is none leaves its session as it is",
  // Calls at once have no order over HTTP, and a full queue has a status of HTTP.
  ignore: VIA === "http",
  async fn() {
    await using server = await startServer([
      ...["--max-concurrency", "2", "+maxQueue=60"],
      ...["+maxSessions=20"],
    ]);
    const numbers = [...Array(8).keys()];
    const sessions = await Promise.all(
      numbers.map((number) => openSession(server, `seen = [${number}]`)),
    );
    const rounds = [1, 2, 3];
    const called = await Promise.all(
      rounds.flatMap((round) =>
        sessions.map(({ run }) => run(`seen.append(${round}); seen[:]`))
      ),
    );
    assertEquals(
      called.slice(-8).map(({ returnValue }) => returnValue),
      numbers.map((number) => [number, ...rounds]),
    );
    const [one] = sessions;
    assert(one);
    // One runs, the others wait for it.
    const on = Promise.withResolvers<void>();
    const cancel = new AbortController();
    const running = server.call(
      "notify_progress('on')\nimport time; time.sleep(1000)",
      { session: one.session },
      { signal: cancel.signal, onprogress: on.resolve },
    );
    await on.promise;
    const waiting = Promise.all(
      [...Array(100).keys()].map((number) =>
        one.run(`seen.append("${number}")`)
      ),
    );
    const other = await sessions[1]?.run("seen");
    assertEquals(other?.returnValue, [1, ...rounds]);
    cancel.abort();
    await assertRejects(() => running);
    const answers = await waiting;
    const busy = answers.filter(({ status }) => status === "busy");
    assertEquals(busy.length, 40);
    assertMatch(String(busy[0]?.error), /--max-concurrency/);
    assertEquals(busy[0]?.structured.session, one.session);
    const { returnValue } = await one.run("seen");
    // The other session's call may have had a place for a while.
    const taken = answers.flatMap(({ status }, number) =>
      status === "busy" ? [] : String(number)
    );
    assertEquals(returnValue, [0, ...rounds, ...taken]);
  },
});

Deno.test("a session is copied after the calls before, though all places are taken", async () => {
  await using server = await startServer(["--max-concurrency", "1"]);
  const one = await openSession(server, "seen = [1]");
  const other = await openSession(server);
  // There is an interpreter for the copy by then, and no place.
  await untilIdle(server.pid);
  const on = Promise.withResolvers<void>();
  const cancel = new AbortController();
  const running = other.run(
    "notify_progress('on')\nimport time; time.sleep(1000)",
    {},
    { signal: cancel.signal, onprogress: on.resolve },
  );
  await on.promise;
  const next = one.run("seen.append(2)");
  const forking = server.client.callTool({
    ...{ name: "fork_session", arguments: { session: one.session } },
  });
  await server.client.ping();
  cancel.abort();
  await assertRejects(() => running);
  assertEquals((await next).status, "success");
  const forked = await forking;
  assert(!forked.isError, JSON.stringify(forked.content));
  const { session } = Object(forked.structuredContent);
  const copied = await server.call("seen", { session });
  assertEquals(copied.returnValue, [1, 2]);
});

Deno.test("the session that was unused for longest ends, and --sessions strict refuses its handle from then on", async () => {
  await using server = await startServer([
    ...["+maxSessions=2", "--sessions", "strict"],
  ]);
  const one = await openSession(server, "x = 1");
  const two = await openSession(server, "x = 2");
  await one.run("x");
  await openSession(server);
  assertEquals((await maybeListed(server, two.session))?.state, "lost");
  const told = await two.run("x");
  assertEquals(told.status, "session-lost");
  assertMatch(String(told.error), /--max-sessions-memory.* session "new"/);
  assertEquals((await two.run("x")).status, "session-lost");
  assertEquals((await one.run("x")).returnValue, 1);
});

Deno.test("--session-idle ends a session; a client without structured results learns of it and of handles from the text", async () => {
  await using server = await startServer([
    ...["--session-idle", "1", "--no-structured", "--return-mode", "json"],
    "--error-results",
  ]);
  const { text } = await server.call("x = 1", { session: "new" });
  const { session } = JSON.parse(text);
  const failed = await server.call("1 / 0", { session });
  assertEquals(failed.isError, false);
  assertEquals(JSON.parse(failed.text).session, session);
  while ((await maybeListed(server, session))?.state !== "lost");
  const told = await server.call("x", { session });
  assertEquals(told.isError, false);
  const { status, error } = JSON.parse(told.text);
  assertEquals(status, "session-lost");
  assertMatch(error, /not used for 1 s \(--session-idle\)/);
  const anew = await server.call("'x' in globals()", { session });
  assertEquals(JSON.parse(anew.text).return_value, false);
});

Deno.test("--sessions always keeps the state of calls that name no session", async () => {
  // Over HTTP, nothing tells clients of 2026 apart: test/http_test.ts.
  for (const era of VIA === "http" ? ERAS.slice(0, 1) : ERAS) {
    await using server = await startServer(["--sessions", "always"], era);
    await server.call("x = 1");
    const next = await server.call("x + 1");
    assertEquals([next.returnValue, next.structured.session], [2, undefined]);
    const fresh = await server.call("'x' in globals()", { session: "none" });
    assertEquals(fresh.returnValue, false);
    await server.client.callTool({ name: "end_session", arguments: {} });
    assertEquals((await server.call("'x' in globals()")).returnValue, false);
  }
});

Deno.test("--sessions none offers none", async () => {
  await using server = await startServer(["--sessions", "none"]);
  const { tools } = await server.client.listTools();
  assertEquals(tools.map(({ name }) => name), ["run_python_code"]);
  const refused = await server.call("1", { session: "new" });
  assertEquals(refused.status, "invalid-arguments");
  assertMatch(String(refused.error), /Unknown argument "session"/);
});
