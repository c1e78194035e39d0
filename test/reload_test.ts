/**
 * SIGHUP has a server of HTTP read its files again, and lose nothing.
 *
 * @module
 */
import { connect } from "node:tls";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { tempFolder } from "./support/folder.ts";
import { type HttpServer, startHttp } from "./support/http_server.ts";
import { withEnd } from "./support/with_end.ts";

const ignore = Deno.build.os === "windows";
const [OLD, NEW, OTHER, FIXED] = ["a", "b", "c", "d"].map((one) =>
  one.repeat(32)
);
const TLS = ["server.pem", "server.key"].map((name) =>
  fileURLToPath(import.meta.resolve(`./fixtures/tls/${name}`))
);

// deno-lint-ignore no-explicit-any
type Line = any;

/** Lines of a file that may be about to be written. */
function linesOf(path: string): Line[] {
  let text = "";
  try {
    text = Deno.readTextFileSync(path);
  } catch {
    // It is not there yet.
  }
  return text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
}

/** Sends SIGHUP, and waits for the lines that tell of it. */
async function reload(
  server: HttpServer,
  log: string,
  isLast: (line: Line) => boolean = ({ reloaded }) => reloaded !== undefined,
): Promise<Line[]> {
  const toReloads = () => linesOf(log).filter((one) => one.event === "reload");
  const before = toReloads().length;
  Deno.kill(server.pid, "SIGHUP");
  while (!toReloads().slice(before).some(isLast)) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return toReloads().slice(before);
}

async function statusOf(server: HttpServer, token?: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  // A new token is known once the server process has it.
  const response = await server.fetch({ headers }, "/status");
  await response.body?.cancel();
  return response.status;
}

async function untilStatus(server: HttpServer, token = "", status = 0) {
  while (await statusOf(server, token) !== status);
}

Deno.test({
  name:
    "SIGHUP adds and revokes tokens, takes two of one name, and leaves sessions and calls alone",
  ignore,
  fn: withEnd(async () => {
    await using folder = await tempFolder();
    const tokens = join(folder.path, "tokens");
    const [log, audit] = [join(folder.path, "log"), join(folder.path, "audit")];
    const write = (...lines: string[]) =>
      Deno.writeTextFile(tokens, lines.join("\n"), { mode: 0o600 });
    await write(`ada ${OLD}`, `eve ${OTHER}`);
    await using server = await startHttp([
      ...["--token-file", tokens, "--log-file", log, "--log-format", "json"],
      ...["--audit", audit],
    ], { env: { MCP_RUN_PYTHON_TOKEN: `fixed:${FIXED}` } });
    await using ada = await server.connect("2025-11-25", { token: OLD! });
    const { structured } = await ada.call("x = 41", { session: "new" });
    const session = `${structured.session}`;
    await using eve = await server.connect("2025-11-25", { token: OTHER! });
    await eve.call("1");
    const begun = Promise.withResolvers<void>();
    const running = eve.call(
      "print('on', flush=True)\nimport time; time.sleep(2); 7",
      {},
      {
        onprogress: begun.resolve,
      },
    );
    await begun.promise;

    await write(`ada ${OLD}`, `ada ${NEW}`);
    const [told] = await reload(server, log);
    assertEquals(
      [told.reloaded, told.added, told.revoked],
      [["--log-file", "--audit", "--token-file"], ["ada"], ["eve"]],
    );
    await untilStatus(server, NEW, 200);
    assertEquals(await statusOf(server, OLD), 200);
    assertEquals(await statusOf(server, FIXED), 200);
    // A call under way is answered; the next request of its connection is not.
    assertEquals((await running).returnValue, 7);
    assertEquals(await statusOf(server, OTHER), 401);
    assertMatch(
      `${await eve.call("1").catch((error) => error)}`,
      /40[14]|token/i,
    );

    await write(`ada ${NEW}`);
    await reload(server, log);
    await untilStatus(server, OLD, 401);
    await using next = await server.connect("2025-11-25", { token: NEW! });
    const went = await next.call("x + 1", { session });
    assertEquals(went.returnValue, 42);
    // The audit has what an auditor asks for, and no file has a token.
    const audited = linesOf(audit).filter(({ event }) => event === "reload");
    assertEquals(audited.map((one) => one.revoked), [["eve"], ["ada"]]);
    const all = JSON.stringify([linesOf(log), audited]);
    for (const token of [OLD, NEW, OTHER, FIXED]) assert(!all.includes(token!));
  }),
});

Deno.test({
  name:
    "a reload with a bad file keeps the old one, says why, and goes on with the others",
  ignore,
  fn: withEnd(async () => {
    await using folder = await tempFolder();
    const at = (name: string) => join(folder.path, name);
    const tokens = `ada ${OLD}\n${OTHER}`;
    await Deno.writeTextFile(at("tokens"), tokens, { mode: 0o600 });
    await Deno.copyFile(TLS[0]!, at("cert"));
    await Deno.copyFile(TLS[1]!, at("key"));
    await Deno.chmod(at("key"), 0o600);
    const [log, audit] = [at("log"), at("audit")];
    await Deno.writeTextFile(at("options.toml"), "max-client-rate = 900\n");
    await using server = await startHttp([
      ...["--token-file", at("tokens"), "--log-file", log, "--audit", audit],
      ...["--log-format", "json", "--config", at("options.toml")],
    ]);
    // A tool that rotates files renames them.
    await Deno.rename(log, at("log.1"));
    await Deno.rename(audit, at("audit.1"));
    await Deno.writeTextFile(at("tokens"), "ada short");
    await Deno.writeTextFile(at("options.toml"), "max-client-rate = 800\n");
    const told = await reload(server, log, ({ kept }) => kept !== undefined);
    assertEquals(told[0].option, "--token-file");
    // Its reader has typed no command, which the help would explain.
    const reason = /^Cannot use line 1 of ".*tokens" as a token: .* -hex 32$/;
    assertMatch(told[0].reason, reason);
    assertEquals(told[1].reloaded, ["--log-file", "--audit"]);
    assertEquals(told[2].kept, ["--max-client-rate"]);
    // The line above it is gone.
    await Deno.writeTextFile(at("tokens"), `${OTHER}`);
    const [moved] = await reload(server, log);
    assertMatch(`${moved.reason}`, /the token token-2 would be token-1/);
    assertEquals(await statusOf(server, OLD), 200);
    await using client = await server.connect("2026-07-28", { token: OLD! });
    assertEquals((await client.call("6 * 7")).returnValue, 42);
    const runs = (path: string) =>
      linesOf(path).filter(({ event }) => event === "run").length;
    assertEquals([runs(log), runs(audit)], [1, 1]);
    assertEquals([runs(at("log.1")), runs(at("audit.1"))], [0, 0]);
    assertEquals((await Deno.stat(audit)).mode! & 0o777, 0o600);
  }),
});

Deno.test({
  name:
    "SIGHUP has new connections see a new certificate, and a bad one changes nothing",
  ignore,
  fn: withEnd(async () => {
    await using folder = await tempFolder();
    const at = (name: string) => join(folder.path, name);
    await Deno.copyFile(TLS[0]!, at("cert"));
    await Deno.copyFile(TLS[1]!, at("key"));
    await Deno.chmod(at("key"), 0o600);
    const log = at("log");
    await using server = await startHttp([
      ...["--tls-cert", at("cert"), "--tls-key", at("key")],
      ...["--log-file", log, "--log-format", "json"],
    ]);
    const port = Number(server.url.port);
    const name = () =>
      new Promise<string>((resolve, reject) => {
        const options = { port, host: "127.0.0.1", rejectUnauthorized: false };
        const socket = connect(options, () => {
          resolve(`${Object(socket.getPeerCertificate()).subject?.CN}`);
          socket.destroy();
        });
        socket.on("error", reject);
      });
    assertEquals(await name(), "localhost");
    await Deno.writeTextFile(at("cert"), "none");
    const [bad] = await reload(server, log);
    assertEquals(bad.option, "--tls-cert");
    assertEquals(await name(), "localhost");
    const { success } = await new Deno.Command("openssl", {
      args: [
        ...["req", "-x509", "-newkey", "ec", "-pkeyopt"],
        ...["ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
        ...["-subj", "/CN=renewed", "-keyout", at("key"), "-out", at("cert")],
      ],
      stderr: "null",
    }).output();
    assert(success);
    await reload(server, log);
    while (await name() !== "renewed");
  }),
});
