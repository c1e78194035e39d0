/**
 * Attacks on a server of HTTP by web pages and by clients without a good
 * credential. Each attack but those on tokens sends a good token, so that the
 * wall in its name is the only wall there is.
 *
 * @module
 */
import { assert, assertEquals } from "../deps/assert.ts";
import { shareHttp } from "./support/http_server.ts";
import { INITIALIZE, postCall } from "./support/mcp_post.ts";
import { exchangeRaw } from "./support/raw_http.ts";

/** A handle that no session has. */
const NEVER_THERE = "00000000-0000-4000-8000-000000000000";

const TOKEN = crypto.randomUUID();
const OTHER = crypto.randomUUID();
const APP = "https://app.example.com";

/** A call that works. */
const CALL = postCall("6 * 7");
const HEADERS = { ...CALL.headers, authorization: `Bearer ${TOKEN}` };

/** The server that all attacks share. */
const attacked = shareHttp(
  ["--allowed-host", "python.example.com", "--allowed-origin", APP],
  { env: { MCP_RUN_PYTHON_TOKEN: `ours:${TOKEN},theirs:${OTHER}` } },
);

/** A server behind a proxy that names callers. */
const named = shareHttp(["--caller-header", "X-Caller"], {
  env: { MCP_RUN_PYTHON_TOKEN: `ours:${TOKEN},theirs:${OTHER}` },
});

interface Answer {
  status: number;
  text: string;
  headers: Headers;
}

/** Sends the call that works, with other headers; undefined leaves one out. */
async function send(
  changes: Record<string, string | undefined> = {},
  init: RequestInit = CALL,
  path?: string,
): Promise<Answer> {
  const headers = Object.entries({ ...HEADERS, ...changes }).flatMap((
    [name, value],
  ) => value === undefined ? [] : [[name, value] as [string, string]]);
  const server = await attacked();
  const response = await server.fetch({ ...init, headers }, path);
  const { status, headers: answered } = response;
  return { status, text: await response.text(), headers: answered };
}

/** Sends the call that works, for any host; `fetch` writes its own. */
async function sendTo(hosts: string[], origin?: string): Promise<number> {
  const { url } = await attacked();
  const head = [
    `POST ${url.pathname} HTTP/1.1`,
    ...hosts.map((host) => `Host: ${host}`),
    ...Object.entries(HEADERS).map((pair) => pair.join(": ")),
    ...(origin === undefined ? [] : [`Origin: ${origin}`]),
    ...["Connection: close", `Content-Length: ${CALL.body.length}`],
  ].join("\r\n");
  const answer = await exchangeRaw(url, `${head}\r\n\r\n${CALL.body}`);
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
}

async function assertWorks(): Promise<void> {
  const { status, text } = await send();
  assertEquals(status, 200, text);
  assertEquals(JSON.parse(text).result.structuredContent.return_value, 42);
}

Deno.test("escape: no name but the server's own is served, whatever it resolves to", async () => {
  const { url: { port } } = await attacked();
  const own = ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"];
  for (const host of [...own, "python.example.com"]) {
    assertEquals(await sendTo([`${host}:${port}`]), 200, host);
    assertEquals(await sendTo([host]), 200, host);
  }
  const others = [
    ...["evil.example", "localhost.evil.example", "127.0.0.1.nip.io"],
    ...["localhost.", "python.example.com.evil.example", "192.0.2.1", "[::2]"],
  ];
  for (const host of others) {
    assertEquals(await sendTo([`${host}:${port}`]), 403, host);
  }
  const broken = ["", "evil@localhost", "localhost:1:2", "localhost/", "a b"];
  for (const host of broken) assertEquals(await sendTo([host]), 400, host);
  assertEquals(await sendTo([]), 400);
  assertEquals(await sendTo(["localhost", "evil.example"]), 400);
});

Deno.test("escape: a page whose name resolves to this machine is not of this server", async () => {
  const { url: { port } } = await attacked();
  const host = `evil.example:${port}`;
  assertEquals(await sendTo([host], `http://${host}`), 403);
});

Deno.test("escape: pages of other origins are refused", async () => {
  const { url: { origin, port } } = await attacked();
  const others = [
    ...["https://evil.example", "null", "", "file://", `http://localhost:1`],
    ...[`${APP}.evil.example`, `${APP}:444`, "http://app.example.com"],
    ...[`http://localhost:${port}`],
    ...[`${origin}, ${APP}`, "https://evil.example, " + origin],
  ];
  for (const other of others) {
    const { status, headers } = await send({ origin: other });
    assertEquals(status, 403, other);
    assertEquals(headers.get("access-control-allow-origin"), null);
  }
  for (const own of [origin, origin.replace("http:", "https:")]) {
    assertEquals((await send({ origin: own })).status, 200);
  }
});

Deno.test("escape: requests that a page makes without naming its origin are refused", async () => {
  for (const site of ["cross-site", "same-site"]) {
    const fromPage = { "sec-fetch-site": site };
    const { status } = await send(fromPage);
    assertEquals(status, 403);
    // Pictures, scripts and frames.
    for (const dest of ["image", "script", "iframe"]) {
      const mode = dest === "iframe" ? "navigate" : "no-cors";
      const { status } = await send({
        ...fromPage,
        ...{ "sec-fetch-mode": mode, "sec-fetch-dest": dest },
      }, { method: "GET" });
      assertEquals(status, 403, dest);
    }
    // A form, whatever it says.
    const link = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    assertEquals((await send({ ...fromPage, ...link })).status, 403);
    const followed = await send({ ...fromPage, ...link }, { method: "GET" });
    assert(followed.status !== 403, `${followed.status}`);
  }
  for (const site of ["same-origin", "none"]) {
    assertEquals((await send({ "sec-fetch-site": site })).status, 200);
  }
});

Deno.test("escape: content types that a page may send without asking run nothing", async () => {
  const simple = [
    ...["text/plain", "application/x-www-form-urlencoded"],
    ...["multipart/form-data; boundary=x", "text/plain; a=application/json"],
    ...["text/plain, application/json", "application/jsonp", "", undefined],
  ];
  for (const type of simple) {
    const body = new TextEncoder().encode(CALL.body);
    const { status } = await send({ "content-type": type }, { ...CALL, body });
    assertEquals(status, 415, type);
  }
  await assertWorks();
});

Deno.test("escape: a page that asks before it sends is told which origins may", async () => {
  const ask = (origin: string) =>
    send({
      ...{ origin, authorization: undefined, "content-type": undefined },
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
    }, { method: "OPTIONS" });
  const refused = await ask("https://evil.example");
  assertEquals(refused.status, 403);
  const told = [...refused.headers.keys()].filter((name) =>
    name.startsWith("access-control-")
  );
  assertEquals(told, []);
  const { status, headers } = await ask(APP);
  assertEquals(status, 204);
  assertEquals(headers.get("access-control-allow-origin"), APP);
  assertEquals(headers.get("access-control-allow-credentials"), null);
  assertEquals(headers.get("vary"), "origin");
  const allowed = headers.get("access-control-allow-headers")?.split(", ");
  for (const name of Object.keys(HEADERS)) assert(allowed?.includes(name));
  // It may then read answers, refusals too.
  for (const authorization of [HEADERS.authorization, "Bearer wrong"]) {
    const { headers } = await send({ origin: APP, authorization });
    assertEquals(headers.get("access-control-allow-origin"), APP);
    assertEquals(headers.get("vary"), "origin");
  }
});

Deno.test("escape: nothing runs without a good token", async () => {
  const wrong = [
    ...[undefined, "", "Bearer", "Bearer ", TOKEN, `Basic ${btoa(TOKEN)}`],
    ...[`Bearer ${crypto.randomUUID()}`, `Bearer ${TOKEN.slice(1)}`],
    ...[`Bearer ${TOKEN} ${OTHER}`, `Bearer ${TOKEN}, Bearer ${OTHER}`],
    `Bearer ours:${TOKEN}`,
  ];
  for (const authorization of wrong) {
    const { status, text, headers } = await send({ authorization });
    assertEquals(status, 401, authorization);
    assert(headers.get("www-authenticate")?.startsWith("Bearer "));
    assert(!text.includes(TOKEN));
  }
  for (const method of ["GET", "DELETE", "OPTIONS", "PUT"]) {
    const { status } = await send({ authorization: undefined }, { method });
    assertEquals(status, 401, method);
  }
  const inPath = `/mcp?access_token=${TOKEN}&token=${TOKEN}`;
  const { status } = await send({ authorization: undefined }, CALL, inPath);
  assertEquals(status, 401);
  await assertWorks();
});

Deno.test("escape: a token opens no session of another token", async () => {
  const older = {
    ...{ "mcp-method": undefined, "mcp-name": undefined },
    "mcp-protocol-version": "2025-11-25",
  };
  const { headers } = await send(older, INITIALIZE);
  const id = headers.get("mcp-session-id") ?? "";
  assert(id);
  const list = {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" }),
  };
  const theirs = { ...older, authorization: `Bearer ${OTHER}` };
  const unknown = crypto.randomUUID();
  for (const init of [list, { method: "GET" }, { method: "DELETE" }]) {
    const answer = await send({ ...theirs, "mcp-session-id": id }, init);
    assertEquals(answer.status, 404, init.method);
    const never = await send({ ...theirs, "mcp-session-id": unknown }, init);
    assertEquals(withoutId(answer.text), withoutId(never.text));
  }
  const own = await send({ ...older, "mcp-session-id": id }, list);
  assertEquals(own.status, 200, own.text);
});

Deno.test("escape: a request whose header names no caller, or two, is refused", async () => {
  const { url } = await named();
  const call = async (...callers: string[]) => {
    const head = [
      `POST ${url.pathname} HTTP/1.1`,
      `Host: ${url.host}`,
      ...Object.entries(HEADERS).map((pair) => pair.join(": ")),
      ...callers.map((caller) => `X-Caller: ${caller}`),
      ...["Connection: close", `Content-Length: ${CALL.body.length}`],
    ].join("\r\n");
    const answer = await exchangeRaw(url, `${head}\r\n\r\n${CALL.body}`);
    return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
  };
  const wrong = [
    ...[[], [""], [" "], ["ada", "grace"], ["ada", "ada"], ["", "ada"]],
    ...[["ada, grace"], ["ada,"], ["ad a"], ["adä"], ["ada\u200b"]],
    ...[["a\tb"], ["a".repeat(201)]],
  ];
  for (const callers of wrong) {
    assertEquals(await call(...callers), 403, JSON.stringify(callers));
  }
  // The form of these breaks HTTP.
  for (const caller of ["a\x00b", "a\x7fb", "a".repeat(20_000)]) {
    assert(await call(caller) !== 200, caller.slice(0, 10));
  }
  for (const caller of ["ada", "  ada ", "a@example.com", "a".repeat(200)]) {
    assertEquals(await call(caller), 200, caller);
  }
});

Deno.test("escape: a caller opens no session of another one, whatever its header and token say", async () => {
  const server = await named();
  const connect = (token: string, caller: string) =>
    server.connect("2026-07-28", { token, headers: { "x-caller": caller } });
  await using ada = await connect(TOKEN, "ada");
  const { structured } = await ada.call("x = 7\nopen('f', 'w').write('mine')", {
    session: "new",
  });
  const session = String(structured.session);
  const [{ uri = "" } = {}] = Object(structured.files);
  await using again = await connect(TOKEN, "ada");
  assertEquals((await again.call("x", { session })).returnValue, 7);
  const others: [string, string][] = [
    ...[[TOKEN, "grace"], [TOKEN, "ADA"], [TOKEN, "ada/"]] as const,
    ...[[OTHER, "ada"], [OTHER, "ours/ada"], [OTHER, "../ours/ada"]] as const,
  ].map(([token, caller]) => [token, caller]);
  for (const [token, caller] of others) {
    await using other = await connect(token, caller);
    const told = async (session: string) =>
      (await other.call("x", { session })).text.replaceAll(session, "HANDLE");
    assertEquals(await told(session), await told(NEVER_THERE), caller);
    const listed = await other.client.callTool({ name: "list_sessions" });
    assertEquals(listed.structuredContent, { sessions: [] });
    const read = (uri: string) =>
      other.client.readResource({ uri }).then(() => "read", String);
    const never = uri.replace(/[\da-f]{4}/, "0000");
    assertEquals(
      (await read(uri)).replaceAll(uri, "URI"),
      (await read(never)).replaceAll(never, "URI"),
    );
  }
  const older = { token: TOKEN, headers: { "x-caller": "ada" } };
  await using client = await server.connect("2025-11-25", older);
  const { transport } = client.client;
  const id = transport?.sessionId ?? "";
  assert(id);
  const post = (id: string) =>
    server.fetch({
      method: "DELETE",
      headers: {
        ...{ authorization: `Bearer ${TOKEN}`, "x-caller": "grace" },
        "mcp-session-id": id,
      },
    });
  const [known, unknown] = [await post(id), await post(crypto.randomUUID())];
  assertEquals([known.status, unknown.status], [404, 404]);
  assertEquals(
    withoutId(await known.text()),
    withoutId(await unknown.text()),
  );
});

/** A refusal, but for the id that each has of its own. */
function withoutId(text: string): string {
  return text.replace(/"mcp-run-python\/run":"[\da-f]{8}-\d+"/, "");
}
