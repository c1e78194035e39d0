/**
 * Tokens and TLS, with the real command and the official client.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { StreamableHTTPClientTransport } from "../deps/mcp_client.ts";
import { command } from "./support/command.ts";
import { tempFolder } from "./support/folder.ts";
import { startHttp } from "./support/http_server.ts";
import { maybeRead } from "./support/proc.ts";
import { descendants } from "./support/processes.ts";
import { connectBy } from "./support/server.ts";

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
        session: "never-there",
      });
      assertEquals(
        text.replaceAll(String(session), "HANDLE"),
        unknown.replaceAll("never-there", "HANDLE"),
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

Deno.test("clients reach a server by TLS, and no other way", async () => {
  await using folder = await tempFolder();
  const [cert, key] = await makeCertificate(folder.path);
  const port = ["--tls-cert", cert, "--tls-key", key];
  await using server = await startHttp(port);
  assertEquals(server.url.protocol, "https:");
  const caCerts = [await Deno.readTextFile(cert)];
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
});

/** Makes a certificate of this machine, for a day. */
async function makeCertificate(folder: string): Promise<[string, string]> {
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const { success, stderr } = await new Deno.Command("openssl", {
    args: [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt"],
      ...["ec_paramgen_curve:P-256", "-nodes", "-days", "1"],
      ...["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"],
      ...["-addext", "basicConstraints=critical,CA:FALSE"],
      ...["-keyout", key, "-out", cert],
    ],
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  return [cert, key];
}
