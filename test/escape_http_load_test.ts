/**
 * Bytes that no official client sends, on the server's own socket: none may hold
 * the server's memory, a sandbox or another client's answer.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { type HttpServer, shareHttp } from "./support/http_server.ts";
import {
  HEADERS,
  INITIALIZE,
  type Post,
  postCall,
  postRequest,
} from "./support/mcp_post.ts";
import { connectRaw, exchangeRaw } from "./support/raw_http.ts";

const attacked = shareHttp([
  ...["+headerTimeoutSeconds=0.5", "+bodyTimeoutSeconds=2", "+maxBodyMiB=2"],
  ...["--max-client-rate", "1000000", "+maxMcpSessions=100"],
  ...["+maxHttpConnections=50", "--max-concurrency", "1"],
]);

/** Head and body of a request, as a client sends them. */
function write(
  { headers, body }: Pick<Post, "headers" | "body">,
  { host, pathname }: URL,
): string {
  const all = { Host: host, ...headers, "Content-Length": `${body.length}` };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `POST ${pathname} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}

/** Fails unless another client's call works now. */
async function expectService(server: HttpServer): Promise<void> {
  const response = await server.fetch(postCall("6 * 7"));
  const text = await response.text();
  assertMatch(text, /"return_value":42/);
}

const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));

Deno.test("slow requests are ended, and hold no other client up", async () => {
  const server = await attacked();
  const { host, pathname } = server.url;
  const head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\n`;
  const body = "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
  const slow = ["", "P", head, `${head}X-A: `, head + body];
  using _connections = new DisposableStack();
  const ends = await Promise.all(
    slow.map(async (text) => {
      const connection = _connections.use(await connectRaw(server.url));
      await connection.send(text);
      return connection.readAll();
    }).map((end) => ({ end })),
  );
  await expectService(server);
  for (const { end } of ends) await end;
});

Deno.test("a body that is too large is not read on", async () => {
  const server = await attacked();
  const { host, pathname } = server.url;
  const head =
    `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
  const told = await exchangeRaw(
    server.url,
    `${head}Content-Length: 99999999\r\n\r\n{`,
  );
  assertEquals(statuses(told), [413]);
  using chunked = await connectRaw(server.url);
  await chunked.send(`${head}Transfer-Encoding: chunked\r\n\r\n`);
  const chunk = `10000\r\n${" ".repeat(65_536)}\r\n`;
  let sent = 0;
  try {
    for (; sent < 10_000; sent++) await chunked.send(chunk);
  } catch {
    // The server has ended the connection.
  }
  assert(sent < 1000, `${sent} chunks of 64 KiB were taken`);
  await expectService(server);
});

Deno.test("bodies do not fill the memory, and small ones find room beside", async () => {
  const server = await attacked();
  const { host, pathname } = server.url;
  const size = 2 ** 21;
  const head =
    `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${size}\r\n\r\n`;
  using connections = new DisposableStack();
  const ends: Promise<string>[] = [];
  for (let count = 0; count < 25; count++) {
    const connection = connections.use(await connectRaw(server.url));
    await connection.send(head + " ".repeat(size - 1)).catch(() => {});
    ends.push(connection.readAll());
  }
  await expectService(server);
  const refused = (await Promise.all(ends)).filter((answer) =>
    answer.startsWith("HTTP/1.1 429")
  );
  assert(refused.length > 0);
});

Deno.test("data in too many parts is not read", async () => {
  const server = await attacked();
  const call = postCall("1");
  for (const part of ["[", ":"]) {
    const body = part.repeat(2 ** 20);
    const { status } = await server.fetch({ ...call, body });
    assertEquals(status, 400);
    const more = await server.fetch({ ...call, body: body + part });
    assertEquals(more.status, 413);
  }
  await expectService(server);
});

Deno.test("no request is smuggled in another", async () => {
  const server = await attacked();
  const { host, pathname } = server.url;
  const inner = `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  const head = (lines: string) =>
    `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\n${lines}\r\n`;
  const rows: [string, string][] = [
    [
      "both lengths",
      head("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
    ],
    ["two lengths", head("Content-Length: 5\r\nContent-Length: 6\r\n")],
    ["a list of lengths", head("Content-Length: 5, 6\r\n")],
    ["a signed length", head("Content-Length: +5\r\n")],
    ["chunks and more", head("Transfer-Encoding: chunked, identity\r\n")],
    ["a hidden coding", head("Transfer-Encoding : chunked\r\n")],
    ["a folded head", head("X-A: b\r\n Transfer-Encoding: chunked\r\n")],
    ["a bare line feed", head("X-A: b\nTransfer-Encoding: chunked\r\n")],
    ["a null byte", head("X-A: \0\r\n")],
    ["a broken chunk", `${head("Transfer-Encoding: chunked\r\n")}zz\r\n`],
    ["another version", inner.replace("HTTP/1.1", "HTTP/9.9")],
  ];
  for (const [name, text] of rows) {
    const answer = await exchangeRaw(server.url, `${text}0\r\n\r\n${inner}`);
    const [first, ...others] = statuses(answer);
    assertEquals([first, others], [400, []], `${name}: ${answer}`);
  }
  await expectService(server);
});

Deno.test("unusual requests are answered, or their connection is closed", async () => {
  const server = await attacked();
  const { host, pathname } = server.url;
  const ask = (method: string, lines = "", version = "1.1") =>
    `${method} ${pathname} HTTP/${version}\r\nHost: ${host}\r\n${lines}\r\n`;
  const closing = "Connection: close\r\n";
  const rows: [string, string, number[]][] = [
    ["HEAD", ask("HEAD", closing), [405]],
    ["OPTIONS", ask("OPTIONS", closing), [405]],
    ["TRACE", ask("TRACE", closing), [400]],
    ["CONNECT", ask("CONNECT", closing), []],
    [
      "an upgrade",
      ask("GET", "Upgrade: websocket\r\nConnection: upgrade, close\r\n"),
      [
        400,
      ],
    ],
    [
      "an expectation",
      ask("POST", `Expect: x\r\nContent-Length: 0\r\n${closing}`),
      [
        417,
      ],
    ],
    ["a large head", ask("GET", `X-A: ${"a".repeat(100_000)}\r\n`), [431]],
    ["two hosts", ask("PUT", `Host: other\r\n${closing}`), [400]],
    [
      "a whole URL",
      ask("PUT", closing).replace(pathname, `http://other${pathname}`),
      [400],
    ],
    ["HTTP/1.0", ask("GET", "", "1.0"), [400]],
    [
      "a pipeline",
      ask("PUT").repeat(9) + ask("PUT", closing),
      Array.from({ length: 10 }, () => 405),
    ],
  ];
  for (const [name, text, expected] of rows) {
    const answer = await exchangeRaw(server.url, text);
    assertEquals(
      statuses(answer),
      expected,
      `${name}: ${answer.slice(0, 500)}`,
    );
  }
  const flood = await exchangeRaw(
    server.url,
    ask("PUT").repeat(5000) + ask("PUT", closing),
  );
  assert(statuses(flood).length < 5000, "a whole flood has answers");
  using patient = await connectRaw(server.url);
  const { body, headers } = postCall("6 * 7");
  const whole = write(
    { body, headers: { ...headers, Expect: "100-continue" } },
    server.url,
  );
  await patient.send(whole.slice(0, -body.length));
  assertMatch(await patient.readUntil("\r\n\r\n"), /^HTTP\/1\.1 100 /);
  await patient.send(body);
  assertMatch(await patient.readUntil('"return_value":42'), /return_value/);
});

Deno.test("a client that reads nothing, or is gone, holds no sandbox", async () => {
  const server = await attacked();
  const code = "open('large', 'wb').write(bytes(6_000_000))";
  const written = await server.fetch(postCall(code));
  const [, uri = ""] = /"uri":"([^"]+)"/.exec(await written.text()) ?? [];
  assert(uri !== "");
  using silent = await connectRaw(server.url);
  // More than the system's buffers hold.
  const read = postRequest("resources/read", uri, { uri });
  await silent.send(write(read, server.url));
  for (let count = 0; count < 3; count++) {
    using gone = await connectRaw(server.url);
    await gone.send(
      write(postCall("import time; time.sleep(600)"), server.url),
    );
  }
  let isOpen = true;
  while (isOpen) {
    await expectService(server);
    // A server skips empty lines between requests.
    await silent.send("\r\n").catch(() => isOpen = false);
  }
});

Deno.test("1,000 MCP sessions of a client leave others undisturbed", async () => {
  const server = await attacked();
  await using honest = await server.connect();
  const calls = [honest.call("import time; time.sleep(0.5); 1")];
  const ids = new Set<string | null>();
  const open = async () => {
    const response = await server.fetch(INITIALIZE);
    assertEquals([response.status, await response.text() !== ""], [200, true]);
    ids.add(response.headers.get("mcp-session-id"));
  };
  for (let round = 0; round < 40; round++) {
    await Promise.all(Array.from({ length: 25 }, open));
  }
  assertEquals(ids.size, 1000);
  calls.push(honest.call("2"));
  const answers = await Promise.all(calls);
  assertEquals(answers.map(({ returnValue }) => returnValue), [1, 2]);
  const [oldest = ""] = ids;
  const gone = await server.fetch({
    method: "POST",
    headers: { ...HEADERS, "mcp-session-id": oldest ?? "" },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  });
  assertEquals(gone.status, 404);
  await gone.body?.cancel();
});

Deno.test("idle connections give way to those of other clients", async () => {
  const server = await attacked();
  using connections = new DisposableStack();
  const ends: Promise<string>[] = [];
  for (let count = 0; count < 200; count++) {
    ends.push(connections.use(await connectRaw(server.url)).readAll());
  }
  await expectService(server);
  // The others are told that their time is up.
  const cut = (await Promise.all(ends)).filter((text) => text === "");
  assert(cut.length > 0);
});
