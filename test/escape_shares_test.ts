/**
 * Attacks of a caller that takes what belongs to all: of others, each finds room.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { type HttpServer, startHttp } from "./support/http_server.ts";
import {
  HEADERS,
  INITIALIZE,
  type Post,
  postCall,
  postRequest,
} from "./support/mcp_post.ts";
import { maybeRead } from "./support/proc.ts";
import { processesNamed } from "./support/processes.ts";
import { readOpenMetrics } from "./support/open_metrics.ts";
import { connectRaw, type RawConnection } from "./support/raw_http.ts";

const TOKEN = crypto.randomUUID();
const OTHER = crypto.randomUUID();
const MIB = 2 ** 20;

function start(args: string[] = []): Promise<HttpServer> {
  return startHttp(args, {
    env: { MCP_RUN_PYTHON_TOKEN: `greedy:${TOKEN},honest:${OTHER}` },
  });
}

const by = (post: Post, token?: string): Post => ({
  ...post,
  headers: {
    ...post.headers,
    ...(token ? { authorization: `Bearer ${token}` } : {}),
  },
});

/** A request as bytes. */
function write(
  { headers, body }: Pick<Post, "headers" | "body">,
  { host, pathname }: URL,
  method = "POST",
): string {
  const length = body === "" ? {} : { "Content-Length": `${body.length}` };
  const lines = Object.entries({ Host: host, ...headers, ...length })
    .map(([name, value]) => `${name}: ${value}`);
  return `${method} ${pathname} HTTP/1.1\r\n${
    lines.join("\r\n")
  }\r\n\r\n${body}`;
}

/** Fails unless a call works. */
async function expectService(
  server: HttpServer,
  token?: string,
): Promise<void> {
  const response = await server.fetch(by(postCall("6 * 7"), token));
  assertMatch(await response.text(), /"return_value":42/);
}

/** A figure of the server's resources. */
async function shareOf(
  server: HttpServer,
  resource: string,
  figure = "used",
): Promise<number> {
  const headers = { authorization: `Bearer ${OTHER}` };
  const response = await server.fetch({ headers }, "/metrics");
  const metrics = readOpenMetrics(await response.text());
  const name = `mcp_run_python_share_${figure}{resource="${resource}"}`;
  return metrics.get(name) ?? NaN;
}

/** Opens the stream of an MCP session, behind which all answers wait. */
async function listen(
  server: HttpServer,
  connections: DisposableStack,
  token?: string,
): Promise<RawConnection> {
  const opened = await server.fetch(by(INITIALIZE, token));
  await opened.body?.cancel();
  const session = opened.headers.get("mcp-session-id") ?? "";
  const headers = {
    accept: "text/event-stream",
    "mcp-session-id": session,
    ...(token ? { authorization: `Bearer ${token}` } : {}),
  };
  const connection = connections.use(await connectRaw(server.url));
  await connection.send(write({ headers, body: "" }, server.url, "GET"));
  await connection.readUntil("\r\n\r\n");
  return connection;
}

Deno.test("answers that wait behind another hold nothing once their connection is closed", async () => {
  await using server = await startHttp();
  for (let count = 0; count < 5; count++) {
    using connections = new DisposableStack();
    const connection = await listen(server, connections);
    const request = write(by(postCall("1")), server.url);
    await connection.send(request.repeat(99));
  }
  let tried = await server.fetch(postCall("6 * 7"));
  while (tried.status === 429) {
    await tried.body?.cancel();
    tried = await server.fetch(postCall("6 * 7"));
  }
  assertMatch(await tried.text(), /"return_value":42/);
  const held = async () => {
    const response = await server.fetch({}, "/metrics");
    const metrics = readOpenMetrics(await response.text());
    return ["requests", "places", "answers"].map((resource) =>
      metrics.get(`mcp_run_python_share_used{resource="${resource}"}`)
    );
  };
  // The request of the metrics is not of MCP, but a request of a caller.
  let left = await held();
  while (left.some((used) => used !== 0)) left = await held();
});

Deno.test("answers that wait behind another for seconds give way", async () => {
  await using server = await startHttp(["+maxRequests=150"]);
  using connections = new DisposableStack();
  const list = JSON.stringify({
    ...{ jsonrpc: "2.0", id: 1, method: "tools/list" },
  });
  for (let count = 0; count < 2; count++) {
    const connection = await listen(server, connections);
    const request = write({ headers: HEADERS, body: list }, server.url);
    await connection.send(request.repeat(90));
  }
  let status = 429;
  while (status === 429) {
    const tried = await server.fetch(postCall("6 * 7"));
    status = tried.status;
    await tried.body?.cancel();
  }
  assertEquals(status, 200);
});

Deno.test("answers that a client does not read take bounded memory, and others read on", async () => {
  await using server = await start();
  const code = "open('large', 'wb').write(bytes(6_000_000))";
  const toUri = async (token: string) => {
    const written = await server.fetch(by(postCall(code), token));
    const [, uri = ""] = /"uri":"([^"]+)"/.exec(await written.text()) ?? [];
    return uri;
  };
  const [uri, own] = [await toUri(TOKEN), await toUri(OTHER)];
  assert(uri !== "" && own !== "");
  using connections = new DisposableStack();
  const read = (uri: string, token: string) =>
    by(postRequest("resources/read", uri, { uri }), token);
  for (let count = 0; count < 120; count++) {
    const connection = connections.use(await connectRaw(server.url));
    await connection.send(write(read(uri, TOKEN), server.url));
  }
  let most = 0;
  while (await shareOf(server, "answers") < 60 * MIB);
  for (let count = 0; count < 3; count++) {
    const answer = await server.fetch(read(own, OTHER));
    assert((await answer.text()).length > 8_000_000);
    most = Math.max(most, await shareOf(server, "answers"));
  }
  assert(most <= 128 * MIB, `${most} bytes wait`);
  const headers = { authorization: `Bearer ${OTHER}` };
  const response = await server.fetch({ headers }, "/metrics");
  const metrics = readOpenMetrics(await response.text());
  const resident = metrics.get(
    'mcp_run_python_server_memory_bytes{kind="resident"}',
  ) ?? Infinity;
  assert(resident < 1200 * MIB, `${resident / MIB} MiB`);
});

Deno.test("reads of sessions are calls of their caller, and one waits at a time", async () => {
  await using server = await start(["--max-concurrency", "1", "+maxQueue=3"]);
  const open = { session: "new", "python_code": "x = 1" };
  const name = "run_python_code";
  const call = postRequest("tools/call", name, { name, arguments: open });
  const opened = await server.fetch(by(call, TOKEN));
  const [, handle = ""] = /"session":"([^"]+)"/.exec(await opened.text()) ?? [];
  assert(handle !== "");
  await expectService(server, OTHER);
  const uri = `run-python://sessions/${handle}`;
  const read = by(postRequest("resources/read", uri, { uri }), TOKEN);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => server.fetch(read)),
  );
  const statuses = answers.map(({ status }) => status);
  await Promise.all(answers.map(({ body }) => body?.cancel()));
  assert(statuses.includes(200) && statuses.includes(429), `${statuses}`);
  await expectService(server, OTHER);
});

Deno.test("connections that prove nothing give way to those of callers", async () => {
  await using server = await start(["+maxHttpConnections=20"]);
  using connections = new DisposableStack();
  // Each waits for its answer, a refusal, and reads nothing.
  for (let count = 0; count < 60; count++) {
    const connection = connections.use(await connectRaw(server.url));
    const call = write(by(postCall("1"), "x".repeat(16)), server.url);
    await connection.send(call.repeat(20)).catch(() => {});
  }
  await expectService(server, OTHER);
});

Deno.test("streams of a caller give way to another caller's connections", async () => {
  await using server = await start(["+maxHttpConnections=20"]);
  using connections = new DisposableStack();
  for (let count = 0; count < 30; count++) {
    await listen(server, connections, TOKEN);
  }
  await expectService(server, OTHER);
  for (let count = 0; count < 8; count++) {
    await listen(server, connections, OTHER);
  }
  assertEquals(await shareOf(server, "connections", "callers"), 2);
});

Deno.test("an idle MCP session is found when another is opened, whatever waits", async () => {
  await using server = await start(["+maxMcpSessions=4"]);
  using connections = new DisposableStack();
  for (let count = 0; count < 4; count++) {
    const connection = await listen(server, connections, TOKEN);
    const call = write(by(postCall("1"), TOKEN), server.url);
    await connection.send(call.repeat(3));
  }
  await using client = await server.connect("2025-11-25", { token: OTHER });
  assertEquals((await client.call("6 * 7")).returnValue, 42);
});

Deno.test({
  name: "code of callers has a lower priority than the server that answers all",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using server = await start();
    await expectService(server, TOKEN);
    const priority = (name: string) => {
      const [pid = 0] = processesNamed(name, server.pid);
      const stat = maybeRead(`/proc/${pid}/stat`) ?? "";
      // Its nineteenth field; the third comes after the name in brackets.
      return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
    };
    assertEquals(priority("sandbox"), priority("server") + 5);
  },
});

Deno.test({
  name:
    "a session that computes between its runs stands still while others ask",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using server = await start();
    const burn = `
import asyncio
count = 0
async def burn():
    global count
    while True:
        count += sum(range(10_000)) > 0
        await asyncio.sleep(0)
task = asyncio.ensure_future(burn())
None`;
    const name = "run_python_code";
    const call = (code: string, session: string) => {
      const params = { "python_code": code, session };
      const all = { name, arguments: params };
      return by(postRequest("tools/call", name, all), TOKEN);
    };
    const opened = await server.fetch(call(burn, "new"));
    const [, session = ""] = /"session":"([^"]+)"/.exec(await opened.text()) ??
      [];
    const states = () =>
      processesNamed("sandbox", server.pid).map((pid) =>
        /\) (\w) /.exec(maybeRead(`/proc/${pid}/stat`) ?? "")?.[1]
      );
    while (!states().includes("T")) await expectService(server, OTHER);
    const counted = await server.fetch(call("count > 0", session));
    assertMatch(await counted.text(), /"return_value":true/);
    while (!states().includes("T")) await expectService(server, OTHER);
    const ended = await server.fetch(call("task.cancel()", session));
    assertMatch(await ended.text(), /"return_value":true/);
  },
});
