/** A server of HTTP at its limits, and at its end. */
import { withEnd } from "./support/with_end.ts";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { type HttpServer, startHttp } from "./support/http_server.ts";
import { HEADERS, INITIALIZE, postCall } from "./support/mcp_post.ts";
import { ERAS } from "./support/server.ts";
import { connectRaw } from "./support/raw_http.ts";

const SLEEP = "print('on', flush=True)\nimport time; time.sleep(600)";

/** Sends a request; gives status, JSON-RPC code and id, and message. */
async function post(server: HttpServer, init: RequestInit) {
  const response = await server.fetch({ method: "POST", ...init });
  const text = await response.text();
  const { id, error } = text.startsWith("{") ? JSON.parse(text) : {};
  const { code, message } = Object(error);
  const retryAfter = response.headers.get("retry-after");
  return { status: response.status, id, code, message, retryAfter };
}

Deno.test("a broken request gets its error, and disturbs no other client", async () => {
  await using server = await startHttp(["+maxBodyMiB=1"]);
  const opened = await server.fetch(INITIALIZE);
  await opened.body?.cancel();
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id")! };
  const ping = (more = {}) =>
    JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ping", ...more });
  const headers = (more: Record<string, string>) => ({ ...HEADERS, ...more });
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const rows: [string, RequestInit, number, number, unknown][] = [
    ["a broken body", { body: '{"jsonrpc":' }, 400, -32700, null],
    ["no body", { body: "" }, 400, -32700, null],
    ["text", { body: '"ping"' }, 400, -32600, null],
    ["bytes", { body: new Uint8Array([255, 254]) }, 400, -32700, null],
    ["a huge body", { body: " ".repeat(2 ** 21) }, 413, -32000, null],
    ["deep JSON", { body: deep }, 400, -32600, null],
    [
      "a deep value",
      {
        body: ping({
          params: { a: JSON.parse(`${deep.slice(99_000, 101_000)}`) },
        }),
      },
      400,
      -32600,
      7,
    ],
    ["a batch", { body: `[${ping()},${ping()}]` }, 400, -32600, null],
    [
      "no version of JSON-RPC",
      {
        body: ping({ jsonrpc: "1.0" }),
      },
      400,
      -32600,
      7,
    ],
    [
      "wrong params",
      {
        body: ping({ method: "tools/call", params: { name: 1 } }),
      },
      200,
      -32602,
      7,
    ],
    [
      "a wrong content type",
      {
        headers: headers({ "content-type": "text/plain" }),
        body: ping(),
      },
      415,
      -32000,
      null,
    ],
    [
      "a wrong Accept",
      {
        headers: headers({ ...session, accept: "text/html" }),
        body: ping(),
      },
      406,
      -32000,
      null,
    ],
    ["no session", { body: ping() }, 400, -32000, null],
    [
      "an unknown session",
      {
        headers: headers({ "mcp-session-id": "x" }),
        body: ping(),
      },
      404,
      -32000,
      null,
    ],
    [
      "a wrong protocol version",
      {
        headers: headers({ ...session, "mcp-protocol-version": "1999-01-01" }),
        body: ping(),
      },
      400,
      -32000,
      null,
    ],
    ["a wrong method", { method: "PUT", body: ping() }, 405, -32000, null],
  ];
  await using honest = await server.connect();
  let isOver = false;
  const calls = (async () => {
    for (let count = 0; !isOver; count++) {
      const { returnValue } = await honest.call(`${count} * 2`);
      assertEquals(returnValue, count * 2);
    }
  })();
  const got = [];
  for (const [name, init] of rows) {
    const all = { headers: HEADERS, ...init };
    const { status, code, id } = await post(server, all);
    got.push([name, status, code, id]);
  }
  isOver = true;
  await calls;
  assertEquals(
    got,
    rows.map(([name, _init, ...expected]) => [name, ...expected]),
  );
});

Deno.test("a full queue answers 429 at once, and clients hear why", async () => {
  const limits = ["--max-concurrency", "1", "+maxQueue=1"];
  await using server = await startHttp(limits);
  await using first = await server.connect();
  const stop = new AbortController();
  const started = Promise.withResolvers<void>();
  const running = first.call(SLEEP, {}, {
    ...{ signal: stop.signal, onprogress: started.resolve },
  }).catch(() => {});
  await started.promise;
  // Of two more calls there is a place for one.
  const more = new AbortController();
  const others = [2, 3].map((id) =>
    server.fetch({ ...postCall("1", id), signal: more.signal })
  );
  const refused = await Promise.race(others);
  assertEquals(refused.status, 429);
  assertMatch(refused.headers.get("retry-after") ?? "", /^\d+$/);
  const { id, error } = await refused.json();
  assert(id === 2 || id === 3);
  assertMatch(error.message, /all places are taken: 1 to run, 1 to wait\./);
  for (const era of ERAS) {
    await using client = await server.connect(era);
    const told = await client.call("1").catch(String);
    assertMatch(String(told), /all places are taken.*Try again in/, era);
  }
  stop.abort();
  await running;
  const answers = await Promise.all(others);
  assertEquals(answers.map(({ status }) => status).sort(), [200, 429]);
  await Promise.all(answers.map(({ body }) => body?.cancel().catch(() => {})));
});

Deno.test("a client has limits of its own", async () => {
  const token = "0123456789abcdef";
  const headers = { ...HEADERS, authorization: `Bearer ${token}` };
  // A caller may have half of the places.
  await using server = await startHttp([
    ...["--max-concurrency", "1", "+maxQueue=1", "+maxRequests=4"],
    ...["--max-client-rate", "20", "+maxMcpSessions=3"],
  ], { env: { MCP_RUN_PYTHON_TOKEN: `ada:${token},bob:${token}-b` } });
  // Another client asks, too.
  await using other = await server.connect("2026-07-28", {
    token: `${token}-b`,
  });
  assertEquals((await other.call("1")).returnValue, 1);
  await using client = await server.connect("2026-07-28", { token });
  const stop = new AbortController();
  const started = Promise.withResolvers<void>();
  const running = client.call(SLEEP, {}, {
    ...{ signal: stop.signal, onprogress: started.resolve },
  }).catch(() => {});
  await started.promise;
  const run = await post(server, { ...postCall("1", 5), headers });
  assertEquals([run.status, run.id], [429, 5]);
  assertMatch(
    run.message,
    /calls of this client have half .*--max-concurrency/,
  );
  // The second of two requests that wait for their answers.
  using half = await connectRaw(server.url);
  const { host, pathname } = server.url;
  await half.send(
    `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
  );
  const next = { ...postCall("1", 6), headers };
  let request = await post(server, next);
  while (!/requests of this client that wait/.test(request.message)) {
    request = await post(server, next);
  }
  assertEquals([request.status, request.retryAfter], [429, "1"]);
  stop.abort();
  await running;
  const flood = await Promise.all(
    Array.from({ length: 60 }, () => post(server, { headers })),
  );
  const slowed = flood.find(({ message }) => /--max-client-rate/.test(message));
  assertEquals([slowed?.status, slowed?.retryAfter], [429, "1"]);
});

Deno.test(
  "a server that is told to end finishes its calls, and refuses others",
  withEnd(async () => {
    await using server = await startHttp([
      ...["--shutdown-wait", "3", "--max-concurrency", "2"],
    ]);
    await using client = await server.connect();
    const begun: Promise<void>[] = [];
    const [short, endless] = ["time.sleep(0.5); 1", "time.sleep(600)"].map(
      (code) => {
        const started = Promise.withResolvers<void>();
        begun.push(started.promise);
        return client.call(
          `print('on', flush=True)\nimport time; ${code}`,
          {},
          {
            onprogress: started.resolve,
          },
        );
      },
    );
    await Promise.all(begun);
    using kept = await connectRaw(server.url);
    const { host, pathname } = server.url;
    const head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\n`;
    // A request that is under way keeps its connection open.
    await kept.send(head);
    Deno.kill(server.pid, "SIGTERM");
    while (await connects(server.url));
    await kept.send("Content-Length: 0\r\n\r\n");
    const refused = await kept.readAll();
    assertMatch(refused, /^HTTP\/1\.1 503 [^]*retry-after: \d+\r\n/i);
    assertMatch(refused, /connection: close\r\n/i);
    assertEquals((await short)?.returnValue, 1);
    assertEquals((await endless)?.status, "cancelled");
    const { code, stderr } = await server.ended;
    assertEquals([code, stderr], [0, ""]);
  }),
);

async function connects(url: URL): Promise<boolean> {
  try {
    (await connectRaw(url))[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
}
