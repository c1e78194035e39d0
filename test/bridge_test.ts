/**
 * Bridges as the launcher starts them, before real servers and an ill-behaved one.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { openBridge, type TestBridge } from "./support/bridge.ts";
import { startBridging } from "./support/bridging.ts";
import {
  fastServer,
  illBehaved,
  modernServer,
  npmServers,
  pypiServers,
  startFastHttp,
} from "./support/downstream_servers.ts";
import { tempFolder } from "./support/folder.ts";
import { descendants, whichOutlive } from "./support/processes.ts";
import { HAS_PROC, maybeRead } from "./support/proc.ts";

const TOKEN = "a-token-that-is-secret";

async function listed(bridge: TestBridge): Promise<string[]> {
  const answer = await bridge.ask({ type: "list" });
  if (answer.type !== "tools") throw new Error(JSON.stringify(answer));
  return answer.tools.map(({ name }) => name);
}

async function failure(answer: Promise<unknown>, kind: string) {
  const failed = Object(await answer);
  assertEquals([failed.type, failed.kind], ["failed", kind]);
  return String(failed.reason);
}

Deno.test("a bridge answers each call once, whatever its server writes beside", async () => {
  for (const habit of ["good", "noisy"] as const) {
    await using bridge = openBridge(illBehaved(habit));
    assertEquals(await bridge.call("echo", { text: "héllo" }), "héllo");
    assertEquals(
      await bridge.call("noise", { text: "text\u2028" }),
      "quiet again",
    );
    assertEquals(await bridge.call("wrong_id"), "the right one");
    assertEquals(await bridge.call("ask_client"), "asked");
    assertEquals(
      await Promise.all(
        ["a", "b"].map((text) => bridge.call("crossed", { text })),
      ),
      ["a", "b"],
    );
    for (const tool of ["not_a_result", "malformed"]) {
      assertMatch(
        await failure(bridge.call(tool), "protocol"),
        /it sent an answer that is not a result/,
      );
    }
    assertMatch(
      await failure(bridge.call("refuse"), "protocol"),
      /the text must be a number \(code -32602\)/,
    );
    assertMatch(
      await failure(bridge.call("deep", { size: 1000 }), "protocol"),
      /nested deeper than 200 levels/,
    );
  }
});

Deno.test("a line has no limit of 64 KiB, and a result over its bound fails alone", async () => {
  await using bridge = openBridge(illBehaved("good"), { maxResult: 300_000 });
  for (const size of [65_535, 65_536, 200_000]) {
    const text = await bridge.call("big", { size });
    assertEquals(String(text).length, size);
    const sent = "y".repeat(size);
    assertEquals(await bridge.call("echo", { text: sent }), sent);
  }
  for (const size of [300_000, 10 << 20]) {
    const reason = await failure(bridge.call("big", { size }), "size");
    assertMatch(reason, /more than a result may have; ask for less/);
  }
  assertEquals(await bridge.call("echo", { text: "still" }), "still");
});

Deno.test("a result that does not keep to its schema is not lost", async () => {
  await using bridge = openBridge(illBehaved("good"));
  assert((await listed(bridge)).includes("lie"));
  const answer = await bridge.ask({
    ...{ type: "call", tool: "lie", arguments: "{}", timeoutMs: 60_000 },
  });
  assertEquals(answer.type === "result" && JSON.parse(answer.result), {
    content: [{ type: "text", text: "three" }],
    structuredContent: { n: "three" },
  });
});

Deno.test("a list leaves out broken tools alone, and ends where pages do not", async () => {
  await using broken = openBridge(illBehaved("broken_tools"));
  await using good = openBridge(illBehaved("good"));
  const names = await listed(broken);
  for (const name of await listed(good)) assert(names.includes(name), name);
  assert(!names.some((name) => name.length > 256));
  await using endless = openBridge(illBehaved("endless_pages"));
  const pages = await listed(endless);
  assertEquals([pages.length, pages[99]], [100, "page_99"]);
});

Deno.test("a call that is late, or taken back, is cancelled downstream", async () => {
  await using bridge = openBridge(illBehaved("good"));
  assertMatch(
    await failure(bridge.call("hang", {}, 50), "timeout"),
    /no answer within 0\.05 s; .*--call-timeout/,
  );
  const { answer, cancel } = bridge.open({
    ...{ type: "call", tool: "hang_unheard", timeoutMs: 120_000 },
    arguments: "{}",
  });
  await bridge.call("echo");
  cancel();
  assertMatch(await failure(answer, "timeout"), /it was cancelled/);
  const cancelled = JSON.parse(String(await bridge.call("cancelled")));
  assertEquals(cancelled.length, 2);
  assertEquals(await bridge.call("echo", { text: "on" }), "on");
});

Deno.test("a server that dies, floods or does not start ends with the reason, and without secrets", async () => {
  for (
    const [tool, expected] of [
      ["die", /^it ended with SIGKILL\. It printed: Traceback: it broke$/],
      ["exit", /^it ended with code 7\. .* its token is \*\*\*$/],
      ["flood", /^it sent more than 64 MiB, or 100000 messages/],
      ["line_without_end", /^it sent more than 64 MiB, or 100000 messages/],
      ["flood_of_batches", /^it sent more than 64 MiB, or 100000 messages/],
      ["asks_without_end", /^it asked more than 1000 times without reading an/],
    ] as const
  ) {
    // Data may have so short a word, and a failure may not.
    const short = { TOKEN: "s3cret" };
    await using bridge = openBridge(illBehaved("good", short));
    const hanging = failure(bridge.call("hang"), "connection");
    const reason = await failure(bridge.call(tool), "connection");
    assertMatch(reason, expected);
    assertEquals(await hanging, reason);
    assertMatch(String(await bridge.ended), /^its bridge has ended \(/);
  }
  await using dead = openBridge(illBehaved("dies_at_start", { TOKEN }));
  assertMatch(
    await failure(dead.ask({ type: "list" }), "connection"),
    /^it ended with code 3\. It printed: a line before\nCannot start: no TOKEN/,
  );
  await using late = openBridge(illBehaved("hangs_at_start"), { startMs: 500 });
  assertMatch(
    await failure(late.ask({ type: "list" }), "connection"),
    /did not introduce itself within 0\.5 s; .*run its command once by hand/,
  );
});

Deno.test("a server's last words tell no part of a secret that is cut", async () => {
  const parts = Array.from({ length: 100 }, (_, n) => `part${n}-of-it`);
  for (const tool of ["complain", "complain_to_stdout"]) {
    await using bridge = openBridge(
      illBehaved("good", { TOKEN: parts.join("") }),
    );
    const reason = await failure(bridge.call(tool), "connection");
    assertMatch(reason, /It printed: \*\*\* is wrong/);
    assertEquals(/part\d|of-it/.exec(reason)?.[0], undefined);
  }
});

Deno.test("a server has the variables of its entry and few others, and its results do not tell a secret", async () => {
  Deno.env.set("A_SECRET_OF_THE_LAUNCHER", "x");
  const folder = "/srv/a-folder";
  await using bridge = openBridge(
    illBehaved("good", { TOKEN, FOLDER: folder, LANG: "xx" }),
  );
  const env = JSON.parse(String(await bridge.call("env")));
  assertEquals([env.TOKEN, env.FOLDER, env.LANG], ["***", folder, "xx"]);
  assertEquals(env.PATH, Deno.env.get("PATH"));
  for (const name of ["A_SECRET_OF_THE_LAUNCHER", "DENO_NO_UPDATE_CHECK"]) {
    assertEquals(env[name], undefined);
  }
});

Deno.test({
  name:
    "no process is left behind: of a bridge that is ended, or whose launcher is killed",
  ignore: !HAS_PROC,
  async fn() {
    {
      await using bridge = openBridge(illBehaved("good"));
      const pids = JSON.parse(String(await bridge.call("spawn_child")));
      const all = [bridge.pid, ...descendants(bridge.pid)];
      for (const pid of pids) assert(all.includes(pid), `${pids} of ${all}`);
      bridge.kill();
      assertEquals(await whichOutlive(all), []);
    }
    await using folder = await tempFolder();
    for (const end of ["kill", "killBridge", "eof"] as const) {
      await using test = await startBridging(folder.path, {
        good: illBehaved("good"),
        hangs: illBehaved("hangs_at_start"),
      });
      const pids = JSON.parse(await test.call("good", "spawn_child"));
      const all = test.family();
      for (const pid of pids) assert(all.includes(pid));
      const [bridge = 0] = test.bridges();
      if (end === "kill") Deno.kill(test.pid, "SIGKILL");
      else if (end === "eof") await test.closeInput();
      else Deno.kill(bridge, "SIGKILL");
      const group = end === "killBridge" ? [bridge, ...pids] : all;
      assertEquals(await whichOutlive(group), [], end);
    }
  },
});

Deno.test({
  name: "a group of processes that is stopped ends with the launcher",
  ignore: !HAS_PROC,
  async fn() {
    await using folder = await tempFolder();
    await using test = await startBridging(folder.path, {
      good: illBehaved("good"),
    });
    const pid = Number(await test.call("good", "pid"));
    const [bridge = 0] = test.bridges();
    const all = test.family();
    assert(all.includes(pid));
    const [, facts = ""] = maybeRead(`/proc/${bridge}/stat`)?.split(") ") ?? [];
    Deno.kill(-Number(facts.split(" ")[2]), "SIGSTOP");
    await test.closeInput();
    assertEquals(await whichOutlive(all), []);
  },
});

Deno.test({
  name:
    "a server that does not read what it is sent ends, and its bridge, with the launcher",
  ignore: !HAS_PROC,
  async fn() {
    await using folder = await tempFolder();
    for (const end of ["kill", "eof"] as const) {
      await using test = await startBridging(folder.path, {
        good: illBehaved("good"),
      });
      const pid = Number(await test.call("good", "deaf"));
      const text = "x".repeat(1 << 20);
      // More than a pipe holds: it is being written from now on.
      const unread = { name: "good", tool: "echo", args: { text } };
      await test.order({ do: "call", ...unread, timeoutMs: 100 });
      const all = test.family();
      assert(all.includes(pid));
      if (end === "kill") Deno.kill(test.pid, "SIGKILL");
      else await test.closeInput();
      assertEquals(await whichOutlive(all), [], end);
    }
  },
});

Deno.test("server, broker and bridge carry a call and its failure", async () => {
  await using folder = await tempFolder();
  await using test = await startBridging(folder.path, {
    good: illBehaved("good"),
    absent: { command: "no-such-program-anywhere", args: [] },
  });
  const servers = Object(await test.order({ do: "servers" }));
  assertEquals([servers[0].name, servers[1].transport], ["good", "stdio"]);
  assertEquals(servers[0].env, undefined);
  assertEquals(await test.call("good", "echo", { text: "hi" }), "hi");
  const text = "z".repeat(700_000);
  assertEquals(await test.call("good", "echo", { text }), text);
  assertMatch(
    await test.call("absent", "x"),
    /^DownstreamError: .*there is no program "no-such-program-anywhere"/,
  );
  assertMatch(await test.call("good", "exit"), /it ended with code 7/);
});

Deno.test("a bridge speaks with a server that knows the protocol of 2026 alone", async () => {
  await using bridge = openBridge(modernServer());
  assertEquals(await listed(bridge), ["echo", "ask_user"]);
  assertEquals(await bridge.call("echo", { text: "new" }), "new");
  // It has no user to ask.
  await failure(bridge.call("ask_user"), "protocol");
  assertEquals(await bridge.call("echo", { text: "on" }), "on");
});

Deno.test("HTTP: a bridge reaches a server of FastMCP, with its headers", async () => {
  const started = await startFastHttp();
  if ("reason" in started) return log(`skipped: HTTP: ${started.reason}`);
  await using server = started;
  {
    await using bridge = openBridge(server.servers.fast_http);
    assert((await listed(bridge)).includes("add"));
    assertEquals(await bridge.call("add", { a: 2, b: 3 }), "5");
    assertEquals(
      await Promise.all(
        ["x", "y", "z"].map((text, at) =>
          bridge.call("echo_late", { text, ms: 60 - 20 * at })
        ),
      ),
      ["x", "y", "z"],
    );
    for (const characters of [2 << 20, 20 << 20]) {
      await failure(bridge.call("big", { characters }), "size");
    }
    await failure(
      bridge.call("echo_late", { text: "", ms: 60_000 }, 100),
      "timeout",
    );
    const open = failure(
      bridge.call("echo_late", { text: "", ms: 60_000 }),
      "connection",
    );
    assertEquals(await bridge.call("add", { a: 1 }), "2");
    await server[Symbol.asyncDispose]();
    assertMatch(await open, /^127\.0\.0\.1:\d+: /);
  }
});

Deno.test("HTTP: a failure names host and status, and no secret of the entry", async () => {
  const statuses = [401, 403, 404, 500, 302, 307];
  for (const status of statuses) {
    const location = "http://example.com/elsewhere";
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      () => new Response("no", { status, headers: { location } }),
    );
    const host = `127.0.0.1:${server.addr.port}`;
    const headers = { Authorization: `Bearer ${TOKEN}` };
    await using bridge = openBridge({
      url: `http://${host}/mcp?key=${TOKEN}`,
      headers,
    });
    const reason = await failure(bridge.ask({ type: "list" }), "connection");
    assert(
      reason.startsWith(`${host}: it answers with status ${status}`),
      reason,
    );
    if (status < 404 && status > 400) assertMatch(reason, /needs headers/);
    assert(!reason.includes(TOKEN), reason);
  }
});

Deno.test("HTTP: a server that asks to be asked again at once is asked once in a second", async () => {
  let opened = 0;
  const since = Date.now();
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const type = { "content-type": "text/event-stream" };
      if (request.method === "GET") {
        opened++;
        return new Response("retry: 0\n\n", { headers: type });
      }
      if (request.method !== "POST") return new Response();
      const { id, method, params } = await request.json();
      if (id === undefined) return new Response(null, { status: 202 });
      const result = method === "initialize"
        ? {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: "eager", version: "1" },
        }
        : { tools: [] };
      // The era of 2026 is not spoken.
      return method === "initialize" || method === "tools/list"
        ? Response.json({ jsonrpc: "2.0", id, result })
        : Response.json({
          ...{ jsonrpc: "2.0", id },
          error: { code: -32601, message: "unknown" },
        });
    },
  );
  await using bridge = openBridge({
    url: `http://127.0.0.1:${server.addr.port}/mcp`,
  });
  for (let turn = 0; turn < 200; turn++) await listed(bridge);
  assert(opened > 0);
  const seconds = (Date.now() - since) / 1000;
  assert(opened <= seconds + 2, `${opened} times in ${seconds} s`);
});

Deno.test("HTTP: a flood of events or questions, an endless event and an endless body end the call", async () => {
  const endless = (start: string, more: string, type: string) => {
    const chunk = new TextEncoder().encode(more.repeat(1000));
    const body = new ReadableStream({
      start: (controller) =>
        controller.enqueue(new TextEncoder().encode(start)),
      pull: (controller) => controller.enqueue(chunk),
    });
    return new Response(body, { headers: { "content-type": type } });
  };
  const note = JSON.stringify({
    ...{ jsonrpc: "2.0", method: "notifications/message" },
    params: { level: "info", data: "x".repeat(1000) },
  });
  for (
    const [start, more, type, kind, reason] of [
      [
        "",
        `data: ${note}\n\n`,
        "text/event-stream",
        "connection",
        /sent more than 64 MiB/,
      ],
      [
        "",
        'data: {"jsonrpc":"2.0","id":1,"method":"ping"}\n\n',
        "text/event-stream",
        "connection",
        /asked more than 1000 times without reading an answer/,
      ],
      ["data: ", "x".repeat(1000), "text/event-stream", "size", /may have/],
      [
        '{"jsonrpc":"',
        "x".repeat(1000),
        "application/json",
        "size",
        /may have/,
      ],
    ] as const
  ) {
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async (request) => {
        const { id, method } = request.method === "POST"
          ? await request.json()
          : Object({});
        if (method === "tools/call") return endless(start, more, type);
        if (id === undefined || method === "server/discover") {
          return new Response(null, { status: id === undefined ? 202 : 400 });
        }
        return Response.json({
          ...{ jsonrpc: "2.0", id },
          result: {
            protocolVersion: "2025-11-25",
            capabilities: { tools: {} },
            serverInfo: { name: "endless", version: "1" },
          },
        });
      },
    );
    const url = `http://127.0.0.1:${server.addr.port}/mcp`;
    await using bridge = openBridge({ url });
    assertMatch(await failure(bridge.call("x"), kind), reason);
  }
});

Deno.test("HTTP: data that is nested too deep fails its request alone", async () => {
  const deep = `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const { id, method, params } = request.method === "POST"
        ? await request.json()
        : Object({});
      if (id === undefined || method === "server/discover") {
        return new Response(null, { status: id === undefined ? 202 : 400 });
      }
      const results: Record<string, string> = {
        initialize: JSON.stringify({
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "deep", version: "1" },
        }),
        "tools/list": `{"tools":[{"name":"x","inputSchema":${deep}}]}`,
        "tools/call": params?.name === "deep"
          ? `{"content":[],"structuredContent":${deep}}`
          : '{"content":[{"type":"text","text":"on"}]}',
      };
      return new Response(
        `{"jsonrpc":"2.0","id":${id},"result":${results[method]}}`,
        { headers: { "content-type": "application/json" } },
      );
    },
  );
  const url = `http://127.0.0.1:${server.addr.port}/mcp`;
  await using bridge = openBridge({ url });
  for (const asked of [bridge.ask({ type: "list" }), bridge.call("deep")]) {
    assertMatch(await failure(asked, "protocol"), /deeper than 200 levels/);
  }
  assertEquals(await bridge.call("x"), "on");
});

const NO_RESULT = /an answer that is not a result/;

Deno.test("HTTP: an integer beyond 2^53 keeps its digits", async () => {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const { id, method, params } = request.method === "POST"
        ? await request.json()
        : Object({});
      if (id === undefined || method === "server/discover") {
        return new Response(null, { status: id === undefined ? 202 : 400 });
      }
      const start = `{"jsonrpc":"2.0","id":${id},"result":{"content":[]`;
      const text = `${start},"structuredContent":{"n":9007199254740993}}}`;
      if (params?.name === "json") return toJson(text);
      if (params?.name === "events") {
        return typed(`data: ${text}\n\n`, "text/event-stream");
      }
      return Response.json({
        ...{ jsonrpc: "2.0", id },
        result: {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "large", version: "1" },
        },
      });
    },
  );
  const url = `http://127.0.0.1:${server.addr.port}/mcp`;
  await using bridge = openBridge({ url });
  for (const tool of ["json", "events"]) {
    const answer = await bridge.ask({
      ...{ type: "call", tool, arguments: "{}", timeoutMs: 60_000 },
    });
    assertEquals(answer.type === "result" && JSON.parse(answer.result), {
      content: [],
      structuredContent: { n: "9007199254740993" },
    });
  }
});

/** What a server may ask a client of MCP. */
const QUESTIONS = [
  ...["sampling/createMessage", "elicitation/create", "roots/list"],
  ...["tasks/get", "tasks/result", "tools/call", "initialize", "x/unknown"],
];

Deno.test("HTTP: each question of a server is refused, and nothing endless that it says beside is read", async () => {
  const encoder = new TextEncoder();
  const refused = new Map<string, unknown>();
  const all = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const stream = (source: UnderlyingDefaultSource<Uint8Array<ArrayBuffer>>) =>
    typed(new ReadableStream(source), "text/event-stream");
  /** Small events without an end. */
  const drip = (status = 200) => {
    const event = encoder.encode(`: ${"x".repeat(100_000)}\n\n`);
    return new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(event),
        cancel: () => left.resolve(),
      }),
      { status, headers: { "content-type": "text/event-stream" } },
    );
  };
  const ask = (id: number) =>
    stream({
      async start(controller) {
        const say = (message: object) =>
          controller.enqueue(
            encoder.encode(
              `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`,
            ),
          );
        // An id may be that of a request to the server, too.
        say({ id, method: "sampling/createMessage", params: { messages: [] } });
        for (const method of QUESTIONS) say({ id: method, method });
        await all.promise;
        say({ id, result: { content: [{ type: "text", text: "asked" }] } });
        controller.close();
      },
    });
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method, params, error } = await request.json();
      if (method === undefined) {
        refused.set(String(id), error?.code);
        if (refused.size > QUESTIONS.length) all.resolve();
        return drip();
      }
      if (id === undefined || method === "server/discover") {
        return new Response(null, { status: id === undefined ? 202 : 400 });
      }
      if (params?.name === "ask") return ask(id);
      if (params?.name === "fail") return drip(500);
      return Response.json({
        ...{ jsonrpc: "2.0", id },
        result: method === "initialize"
          ? {
            protocolVersion: "2025-11-25",
            capabilities: { tools: {} },
            serverInfo: { name: "asking", version: "1" },
          }
          : { content: [{ type: "text", text: "on" }] },
      });
    },
  );
  const url = `http://127.0.0.1:${server.addr.port}/mcp`;
  await using bridge = openBridge({ url });
  assertEquals(await bridge.call("ask"), "asked");
  assertEquals(new Set(refused.values()), new Set([-32601]));
  await left.promise;
  await failure(bridge.call("fail"), "size");
  assertEquals(await bridge.call("x"), "on");
});

/** Answers over HTTP that are not results, and what is told of each. */
const NOT_RESULTS: [RegExp, (id: number) => Response][] = [
  ...["oops", "", "null", '{"result":{}}'].map((
    text,
  ): [RegExp, () => Response] => [NO_RESULT, () => toJson(text)]),
  [
    NO_RESULT,
    (id) => toJson(JSON.stringify({ jsonrpc: "2.0", id, result: "x" })),
  ],
  [
    /the text is long \(code -32602\)/,
    (id) =>
      Response.json({
        ...{ jsonrpc: "2.0", id },
        error: { code: -32602, message: "the text is long" },
      }, { status: 400 }),
  ],
  [/content type: text\/html/, () => typed("<html>", "text/html")],
  ...[413, 429, 500].map((status): [RegExp, () => Response] => [
    new RegExp(`it answers with status ${status}`),
    () => new Response("no", { status }),
  ]),
];

const typed = (body: BodyInit, type: string) =>
  new Response(body, { headers: { "content-type": type } });
const toJson = (text: string) => typed(text, "application/json");

Deno.test("HTTP: an answer that is not a result fails its request alone", async () => {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const { id, method, params } = request.method === "POST"
        ? await request.json()
        : Object({});
      if (id === undefined || method === "server/discover") {
        return new Response(null, { status: id === undefined ? 202 : 400 });
      }
      const [, answer] = NOT_RESULTS[Number(params?.name)] ?? [];
      if (answer) return answer(id);
      const result = method === "initialize"
        ? {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "wrong", version: "1" },
        }
        : { content: [{ type: "text", text: "on" }] };
      return Response.json({ jsonrpc: "2.0", id, result });
    },
  );
  const url = `http://127.0.0.1:${server.addr.port}/mcp`;
  await using bridge = openBridge({ url });
  for (const [at, [reason]] of NOT_RESULTS.entries()) {
    // A failure of this kind leaves the server as it is.
    assertMatch(await failure(bridge.call(`${at}`), "protocol"), reason);
  }
  assertEquals(await bridge.call("x"), "on");
});

Deno.test("servers of npm and PyPI list their tools", async () => {
  await using folder = await tempFolder();
  for (
    const found of [
      await npmServers(folder.path),
      await pypiServers(folder.path),
      await fastServer(),
    ]
  ) {
    if ("reason" in found) {
      log(`skipped: real servers: ${found.reason}`);
      continue;
    }
    for (const [name, server] of Object.entries(found.servers)) {
      await using bridge = openBridge(server);
      const names = await listed(bridge);
      assert(names.length > 0, name);
      if (name === "time") {
        const text = await bridge.call("convert_time", {
          ...{ source_timezone: "UTC", time: "12:00" },
          target_timezone: "Asia/Tokyo",
        });
        assertMatch(String(text), /T21:00:00/);
      }
      if (name === "git") {
        assertMatch(
          String(await bridge.call("git_status", { repo_path: folder.path })),
          /No commits yet|Repository status/,
        );
      }
      if (name === "fast") {
        const { changed } = bridge;
        assertEquals(await bridge.call("add_tool", { name: "late" }), "added");
        await changed;
        assert((await listed(bridge)).includes("late"));
        assertEquals(
          await bridge.call("fail", { reason: "for sure" }),
          "for sure",
        );
      }
    }
  }
});
