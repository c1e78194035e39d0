/**
 * Tokens, OAuth 2.1 and TLS, with the real command and the official client.
 *
 * @module
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import {
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
} from "../deps/mcp_client.ts";
import { command } from "./support/command.ts";
import { tempFolder } from "./support/folder.ts";
import { startHttp } from "./support/http_server.ts";
import { maybeRead } from "./support/proc.ts";
import { descendants } from "./support/processes.ts";
import { startIssuer } from "./support/oauth_issuer.ts";
import { exchangeRaw } from "./support/raw_http.ts";
import { connectBy, ERAS } from "./support/server.ts";

/** A handle that no session has. */
const NEVER_THERE = "00000000-0000-4000-8000-000000000000";

const newToken = () => crypto.randomUUID();
const bearer = (token: string) => ({
  headers: { authorization: `Bearer ${token}` },
});

Deno.test("a token opens the server, and what it made is for no other token", async (test) => {
  await using folder = await tempFolder();
  const [alice, bob, carol] = [newToken(), newToken(), newToken()];
  const file = join(folder.path, "tokens");
  await Deno.writeTextFile(file, `# ours\nalice ${alice}\nbob ${bob}\n`, {
    mode: 0o644,
  });
  const args = ["--host", "0.0.0.0", "--token-file", file, "--verbose"];
  const server = await startHttp(args, {
    env: { MCP_RUN_PYTHON_TOKEN: `carol:${carol}` },
  });
  const tokens = [alice, bob, carol];
  const assertUntold = (text: string) => {
    for (const token of tokens) assert(!text.includes(token));
  };
  await test.step("no other credential does", async () => {
    const told = async (init: RequestInit, path?: string) => {
      const response = await server.fetch(init, path);
      assertUntold(await response.text());
      const challenge = response.headers.get("www-authenticate");
      return [response.status, challenge];
    };
    const missing = [401, 'Bearer realm="mcp-run-python"'];
    const wrong = [
      401,
      'Bearer realm="mcp-run-python", error="invalid_token"',
    ];
    assertEquals(await told({}), missing);
    assertEquals(await told({}, `/mcp?access_token=${alice}`), missing);
    const other = [
      ...[newToken(), alice.slice(1), `${alice}x`, alice.toUpperCase(), ""],
      ...[`${alice} ${bob}`, "x".repeat(9000)],
    ];
    for (const token of other) {
      assertEquals(await told(bearer(token)), wrong, token);
    }
    const basic = { headers: { authorization: `Basic ${btoa(alice)}` } };
    assertEquals(await told(basic), wrong);
  });
  await test.step("the tokens are in no process's environment or arguments", () => {
    const pids = descendants(server.pid);
    assert(pids.length > 0);
    for (const pid of pids) {
      assertUntold(maybeRead(`/proc/${pid}/environ`) ?? "");
      assertUntold(maybeRead(`/proc/${pid}/cmdline`) ?? "");
    }
    assertUntold(maybeRead(`/proc/${server.pid}/cmdline`) ?? "");
  });
  await test.step("sessions and files belong to a token", async () => {
    await using a = await server.connect("2025-11-25", { token: alice });
    await using a2 = await server.connect("2026-07-28", { token: alice });
    await using b = await server.connect("2025-11-25", { token: bob });
    await using c = await server.connect("2026-07-28", { token: carol });
    const made = await a.call("x = 7\nopen('f.txt', 'w').write('mine')", {
      session: "new",
    });
    assertEquals(made.status, "success");
    const { session } = made.structured;
    const [{ uri = "" } = {}] = Object(made.structured.files);
    const own = await a2.call("x", { session });
    assertEquals(own.returnValue, 7);
    const read = await a2.client.readResource({ uri });
    assertEquals(Object(read.contents[0]).text, "mine");
    for (const other of [b, c]) {
      const { status, text } = await other.call("x", { session });
      const { text: unknown } = await other.call("x", {
        session: NEVER_THERE,
      });
      assertEquals(
        text.replaceAll(String(session), "HANDLE"),
        unknown.replaceAll(NEVER_THERE, "HANDLE"),
      );
      assert(status !== "success");
      const listed = await other.client.callTool({ name: "list_sessions" });
      assertEquals(listed.structuredContent, { sessions: [] });
      const { resources } = await other.client.listResources();
      assert(!JSON.stringify(resources).includes("f.txt"));
      const failed = await other.client.readResource({ uri }).catch(String);
      assertMatch(String(failed), /There is no file at/);
    }
  });
  await server[Symbol.asyncDispose]();
  const { stdout, stderr } = await server.ended;
  assertUntold(stdout + stderr);
  assertMatch(stderr, /warning: Other users may read ".*tokens"/);
});

Deno.test("a server that other machines reach does not start without tokens", async () => {
  const { code, stderr } = await command(
    ["--host", "0.0.0.0", "--port", "0", "streamable-http"],
  );
  assertEquals(code, 2);
  assertMatch(stderr, /Cannot listen on 0\.0\.0\.0 without tokens/);
  assertMatch(stderr, /--token-file/);
});

Deno.test("the official client gets its token from the issuer that the server names", async (test) => {
  const port = freePort();
  const address = `http://127.0.0.1:${port}/mcp`;
  await using issuer = await startIssuer(address);
  const oauth = ["--oauth-issuer", issuer.url, "--oauth-scope", "python:run"];
  await using server = await startHttp([...oauth, "--port", `${port}`]);
  assertEquals(server.url.href, address);
  const metadata =
    `http://127.0.0.1:${port}/.well-known/oauth-protected-resource/mcp`;
  await test.step("to which the metadata leads", async () => {
    const { status, headers } = await read(server.fetch());
    assertEquals(
      [status, headers.get("www-authenticate")],
      [
        401,
        `Bearer realm="mcp-run-python", scope="python:run", resource_metadata="${metadata}"`,
      ],
    );
    for (const url of [metadata, metadata.replace("/mcp", "")]) {
      assertEquals(await fetch(url).then((answer) => answer.json()), {
        resource: address,
        authorization_servers: [issuer.url],
        bearer_methods_supported: ["header"],
        resource_name: "mcp-run-python",
        scopes_supported: ["python:run"],
      });
    }
  });
  await test.step("and runs code with it", async () => {
    for (const era of ERAS) {
      const authProvider = new ClientCredentialsProvider({
        ...{ clientId: "test", clientSecret: newToken() },
        expectedIssuer: issuer.url,
      });
      const transport = new StreamableHTTPClientTransport(server.url, {
        authProvider,
      });
      await using client = await connectBy(transport, era);
      assertEquals((await client.call("6 * 7")).returnValue, 42);
      assert(authProvider.tokens()?.access_token);
    }
  });
  await test.step("a token without its scope is told so, another is wrong", async () => {
    const told = async (token: string) => {
      const { status, headers } = await read(server.fetch(bearer(token)));
      const challenge = headers.get("www-authenticate") ?? "";
      return [status, /error="(\w+)"/.exec(challenge)?.[1]];
    };
    assertEquals(
      await told(await issuer.makeToken({ scope: "other" })),
      [403, "insufficient_scope"],
    );
    const wrong = [
      await issuer.makeToken({ aud: "https://other.example" }),
      await issuer.makeToken({ exp: 1 }),
      await issuer.makeToken({ iss: "https://other.example" }),
      await issuer.makeToken({ more: "x".repeat(9000) }),
    ];
    for (const token of wrong) {
      assertEquals(await told(token), [401, "invalid_token"]);
    }
  });
  await test.step("sessions belong to a user, whatever the token", async () => {
    const connect = async (claims: Record<string, unknown>) =>
      await server.connect("2026-07-28", {
        token: await issuer.makeToken(claims),
      });
    await using first = await connect({ sub: "ada" });
    const made = await first.call("x = 7", { session: "new" });
    const { session } = made.structured;
    await issuer.rotate();
    const token = await issuer.makeToken({ sub: "ada" });
    while ((await read(server.fetch(bearer(token)))).status === 401) {
      // The server asks for new keys only now and then.
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await using later = await connect({ sub: "ada" });
    assertEquals((await later.call("x", { session })).returnValue, 7);
    await using other = await connect({ sub: "grace" });
    assert((await other.call("x", { session })).status !== "success");
  });
});

Deno.test("clients reach a server by TLS, and no other way", async () => {
  const file = (name: string) =>
    fileURLToPath(import.meta.resolve(`./fixtures/tls/${name}`));
  await using server = await startHttp([
    ...["--tls-cert", file("server.pem"), "--tls-key", file("server.key")],
    ...["--host", "localhost", "+headerTimeoutSeconds=0.5"],
  ]);
  assertEquals(server.url.protocol, "https:");
  // These take no place from others for ever.
  const silent = ["", "\x16\x03\x01"].map((start) =>
    exchangeRaw(server.url, start)
  );
  const caCerts = [await Deno.readTextFile(file("authority.pem"))];
  using httpClient = Deno.createHttpClient({ caCerts });
  const transport = new StreamableHTTPClientTransport(server.url, {
    fetch: (url, init) => fetch(url, { ...init, client: httpClient }),
  });
  await using client = await connectBy(transport, "2026-07-28");
  assertEquals((await client.call("6 * 7")).returnValue, 42);
  const plain = new URL(server.url);
  plain.protocol = "http:";
  const answer = await fetch(plain).then(({ status }) => status, () => "none");
  assertEquals(answer, "none");
  assertEquals(await Promise.all(silent), ["", ""]);
});

/** A port of this machine that was free just now. */
function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** Reads an answer to its end. */
async function read(answer: Promise<Response>): Promise<Response> {
  const response = await answer;
  await response.body?.cancel();
  return response;
}
