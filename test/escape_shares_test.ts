/**
 * Attacks of a caller that takes what belongs to all: of others, each finds room.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { type HttpServer, startHttp } from "./support/http_server.ts";
import {
  INITIALIZE,
  type Post,
  postCall,
  postRequest,
} from "./support/mcp_post.ts";
import { maybeRead } from "./support/proc.ts";
import { processesNamed } from "./support/processes.ts";
import {
  figureOf,
  readOpenMetrics,
  untilFigure,
} from "./support/open_metrics.ts";
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

function callIn(session: string, code: string, token: string): Post {
  const name = "run_python_code";
  const args = { session, "python_code": code };
  return by(postRequest("tools/call", name, { name, arguments: args }), token);
}

/** Opens a session, as soon as there is room for it; gives its handle. */
async function openSession(
  server: HttpServer,
  token: string,
  code = "x = 1",
): Promise<string> {
  while (true) {
    const opened = await server.fetch(callIn("new", code, token));
    const text = await opened.text();
    const [, handle] = /"session":"([^"]+)"/.exec(text) ?? [];
    if (handle !== undefined) return handle;
    assertMatch(text, /"status":"busy"/);
  }
}

/** Has a run write a file that is larger than the system's buffers. */
async function writeLarge(server: HttpServer, token: string): Promise<string> {
  const code = "open('large', 'wb').write(bytes(6_000_000))";
  const written = await server.fetch(by(postCall(code), token));
  const [, uri = ""] = /"uri":"([^"]+)"/.exec(await written.text()) ?? [];
  assert(uri !== "");
  return uri;
}

function shareOf(server: HttpServer, resource: string, figure = "used") {
  return figureOf(server, OTHER, toName(resource, figure));
}

function toName(resource: string, figure = "used"): string {
  return `share_${figure}{resource="${resource}"}`;
}

/** Waits until so much of a resource is used. */
function untilShare(
  server: HttpServer,
  resource: string,
  least: number,
): Promise<void> {
  const isReached = (used: number) => used >= least;
  return untilFigure(server, OTHER, toName(resource), isReached);
}

/** MiB of the server's process. */
async function residentOf(server: HttpServer): Promise<number> {
  return await figureOf(server, OTHER, 'server_memory_bytes{kind="resident"}') /
    MIB;
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
    await connection.send(request.repeat(9));
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

Deno.test("answers that a client does not read take bounded memory, and others read on", async () => {
  await using server = await start();
  const uri = await writeLarge(server, TOKEN);
  const own = await writeLarge(server, OTHER);
  using connections = new DisposableStack();
  const read = (uri: string, token: string) =>
    by(postRequest("resources/read", uri, { uri }), token);
  for (let count = 0; count < 120; count++) {
    const connection = connections.use(await connectRaw(server.url));
    await connection.send(write(read(uri, TOKEN), server.url));
  }
  let most = 0;
  await untilShare(server, "answers", 60 * MIB);
  for (let count = 0; count < 3; count++) {
    const answer = await server.fetch(read(own, OTHER));
    assert((await answer.text()).length > 8_000_000);
    most = Math.max(most, await shareOf(server, "answers"));
  }
  assert(most <= 128 * MIB, `${most} bytes wait`);
  const resident = await residentOf(server);
  assert(resident < 1200, `${resident} MiB`);
});

Deno.test("answers are not made before those that they wait behind are sent", async () => {
  await using server = await start();
  const page = `GET /page.js HTTP/1.1\r\nHost: ${server.url.host}\r\n\r\n`;
  using connections = new DisposableStack();
  // Nothing is read of 2,000 answers of 400 KB, for which no token is needed.
  for (let count = 0; count < 200; count++) {
    const connection = connections.use(await connectRaw(server.url));
    await connection.send(page.repeat(10));
  }
  await expectService(server, OTHER);
  const resident = await residentOf(server);
  assert(resident < 500, `${resident} MiB`);
});

Deno.test("a body in tiny chunks is not taken", async () => {
  await using server = await start();
  const { headers } = by(postCall("1"), TOKEN);
  const chunked = { ...headers, "Transfer-Encoding": "chunked" };
  const head = write({ headers: chunked, body: "" }, server.url);
  using connections = new DisposableStack();
  const ends: Promise<string>[] = [];
  for (let count = 0; count < 40; count++) {
    const connection = await listen(server, connections, TOKEN);
    ends.push(connection.readAll());
    await connection.send(head + "1\r\n \r\n".repeat(70_000)).catch(() => {});
  }
  for (const end of ends) await end;
  await expectService(server, OTHER);
  const resident = await residentOf(server);
  assert(resident < 500, `${resident} MiB`);
});

Deno.test("a connection on which many requests wait is ended", async () => {
  await using server = await start();
  const large = write(
    { headers: { "x-large": "x".repeat(15_000) }, body: "" },
    server.url,
    "GET",
  );
  using connections = new DisposableStack();
  const ends: Promise<string>[] = [];
  for (let count = 0; count < 10; count++) {
    const connection = await listen(server, connections, TOKEN);
    ends.push(connection.readAll());
    await connection.send(large.repeat(99)).catch(() => {});
  }
  for (const end of ends) await end;
  await expectService(server, OTHER);
});

Deno.test("reads of sessions are calls of their caller, and one waits at a time", async () => {
  await using server = await start(["--max-concurrency", "1", "+maxQueue=3"]);
  const handle = await openSession(server, TOKEN);
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

Deno.test("requests whose bodies do not come give way to another caller's", async () => {
  await using server = await start(["+maxRequests=20"]);
  using connections = new DisposableStack();
  const { headers, body } = by(postCall("1"), TOKEN);
  const patient = { ...headers, Expect: "100-continue" };
  const request = write({ headers: patient, body }, server.url);
  const head = request.slice(0, -body.length);
  for (let count = 0; count < 20; count++) {
    const connection = connections.use(await connectRaw(server.url));
    await connection.send(head);
    await connection.readUntil("100 Continue");
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

Deno.test("long calls of a caller that was alone leave places to another caller", async () => {
  await using server = await start(["--max-concurrency", "2"]);
  using connections = new DisposableStack();
  const long = "import time; time.sleep(600)";
  for (let count = 0; count < 110; count++) {
    const connection = connections.use(await connectRaw(server.url));
    await connection.send(write(by(postCall(long), TOKEN), server.url));
  }
  await untilShare(server, "places", 102);
  const places = await Promise.all(Array.from({ length: 5 }, async () => {
    const answer = await server.fetch(by(postCall("1"), OTHER));
    await answer.body?.cancel();
    return answer.status;
  }));
  assertEquals(places, Array(5).fill(200));
});

Deno.test("sessions whose calls overlap come to rest for another caller", async () => {
  const args = ["--max-concurrency", "3", "+maxSessions=2"];
  await using server = await start(args);
  const sessions = [
    await openSession(server, TOKEN),
    await openSession(server, TOKEN),
  ];
  let isServed = false;
  const overlapping = sessions.flatMap((session) =>
    [1, 2].map(async () => {
      while (!isServed) {
        const code = "import time; time.sleep(0.2)";
        const answer = await server.fetch(callIn(session, code, TOKEN));
        await answer.text();
      }
    })
  );
  await untilShare(server, "places", 4);
  assert(await openSession(server, OTHER));
  isServed = true;
  await Promise.all(overlapping);
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
    const call = (code: string, session: string) =>
      callIn(session, code, TOKEN);
    const session = await openSession(server, TOKEN, burn);
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
