/**
 * What an operator reads of each run, through real clients and commands.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { openPython } from "./support/open_python.ts";
import { CACHE, command } from "./support/command.ts";
import { tempFolder } from "./support/folder.ts";
import { processesNamed, whichOutlive } from "./support/processes.ts";
import { startServer } from "./support/server.ts";
import { startWebServer } from "./support/web_server.ts";

function readLines(path: string): string[] {
  const text = Deno.readTextFileSync(path);
  assert(text.endsWith("\n"));
  return text.slice(0, -1).split("\n");
}

// deno-lint-ignore no-explicit-any
function readRuns(path: string): any[] {
  return readLines(path).map((line) => JSON.parse(line))
    .filter(({ event }) => event === "run");
}

Deno.test("logs: a run's line has its client, code, figures, files, hosts, and why its process was replaced", async () => {
  await using folder = await tempFolder();
  await using web = startWebServer();
  const file = join(folder.path, "runs.log");
  const options = ["--log-file", file, "--log-format", "json"];
  const code = `
import urllib.request
open("a.txt", "w").write("12345")
open("b.bin", "wb").write(bytes(1000))
held = bytearray(100 << 20)
try: urllib.request.urlopen("http://127.0.0.1:1/")
except OSError: pass
len(urllib.request.urlopen("${web.origin}/bytes?5").read())`;
  const eras = [["2025-11-25", "always"], ["2026-07-28", "caller"]] as const;
  for (const [era, fresh] of eras) {
    await using server = await startServer(
      [...options, "--allow-net", web.host, "--fresh", fresh],
      era,
    );
    assertEquals((await server.call(code)).returnValue, 5);
    await server.call("1 / 0");
    const spin = await server.call("while True: pass", { timeout: 0.2 });
    assertEquals(spin.status, "timeout");
    await server.call("x = 1");
  }
  const runs = readRuns(file);
  const ids = runs.map(({ id }) => id);
  assertEquals(new Set(ids).size, 8);
  assert(ids.every((id) => /^[\da-f]{8}-[1-4]$/.test(`${id}`)), `${ids}`);
  const digest = await crypto.subtle.digest(
    "SHA-256",
    new TextEncoder().encode(code),
  );
  const statuses = ["success", "run-error", "timeout", "success"];
  for (const [index, run] of runs.entries()) {
    assertEquals([run.client, run.client_version], ["test", "1"]);
    assertEquals(run.status, statuses[index % 4]);
    assert(Math.abs(Date.parse(`${run.time}`) - Date.now()) < 3_600_000);
    assert(["wall_ms", "cpu_ms", "memory_mib"].every((key) => run[key]! >= 0));
    assertEquals(run.code, undefined);
    if (run.status === "timeout") {
      assert(run.wall_ms! >= 200 && run.cpu_ms! > 0, JSON.stringify(run));
      if (index < 4) assertMatch(`${run.replaced}`, /ends after a timeout/);
      // It was interrupted, and has come back: it is rewound, or made anew.
      else assertEquals(run.replaced, undefined);
      continue;
    }
    assertEquals(run.replaced, undefined);
    if (index % 4 > 0) {
      assertEquals([run.files, run.file_bytes, run.hosts], [0, 0, []]);
      continue;
    }
    assertEquals([run.files, run.file_bytes, run.hosts], [2, 1005, [web.host]]);
    assertEquals(run.code_bytes, code.length);
    assertEquals(run.code_sha256, new Uint8Array(digest, 0, 8).toHex());
    assert(
      run.memory_mib! >= 60 && run.memory_mib! < 1000,
      `${run.memory_mib}`,
    );
  }
  // A process that runs have left too large is replaced, too.
  const ends = readLines(file).map((line) => JSON.parse(line))
    .filter(({ event }) => event === "sandbox").map(({ ended }) => ended);
  assert(ends.some((end) => /did not end by itself/.test(end)), `${ends}`);
  if (Deno.build.os !== "windows") {
    assertEquals((await Deno.stat(file)).mode! & 0o777, 0o600);
  }
});

Deno.test({
  name: "logs: a process that is killed has a line, and the server an error",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using folder = await tempFolder();
    const file = join(folder.path, "runs.log");
    const server = await startServer(["--log-file", file]);
    await server.call("1");
    const { pid } = server;
    const [sandbox = 0] = processesNamed("sandbox", pid);
    Deno.kill(sandbox, "SIGKILL");
    assertEquals(await whichOutlive([sandbox]), []);
    await server.call("1");
    const [own = 0] = processesNamed("server", pid);
    Deno.kill(own, "SIGKILL");
    assertEquals(await whichOutlive([pid]), []);
    await server.client.close();
    const all = readLines(file).join("\n");
    assertMatch(all, /^\S+ (info|warning) sandbox ended=".*SIGKILL.*"$/m);
    assertMatch(all, /^\S+ error server ended=SIGKILL$/m);
  },
});

Deno.test("escape: no text of a client or of code forges a line of the logs", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "runs.log");
  const forged = "2026-01-01T00:00:00.000Z info run id=00000000-1";
  const name = `x\n${forged}\r\u2028${forged} status=success\x1b[2J\x9b`;
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name, version: `1 status=denied "` },
  };
  const call = (id: number, code: string) => ({
    ...{ jsonrpc: "2.0", id, method: "tools/call" },
    params: { name: "run_python_code", arguments: { python_code: code } },
  });
  // The client is gone before its second call ends.
  const stdin = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    call(2, `"""\n${forged}\u2028"""`),
    call(3, `while True: "${forged}"\n`),
  ].map((message) => `${JSON.stringify(message)}\n`).join("");
  await command(["--log-file", file, "--log-code", "stdio"], { stdin });
  const lines = readLines(file);
  const runs = lines.filter((line) => / info run id=/.test(line));
  assertEquals(runs.length, 2, lines.join("\n"));
  for (const line of lines) {
    assertMatch(
      line,
      /^20\S+Z info (run id=[\da-f]{8}-\d |sandbox (ended|anew)=)/,
    );
    assert(!/[\p{C}\p{Zl}\p{Zp}]/u.test(line), line);
  }
  assertMatch(
    runs.join("\n"),
    / client="x\\n2026.* client_version="1 status=denied \\"" status=cancelled .*replaced="the client is gone" code="while True: \\"2026/,
  );
});

Deno.test("logs: a command and a library name themselves; a full disk is told once, and stops nothing", async () => {
  const options = ["--log-level", "info", "--log-format", "json"];
  const shell = await command(["run", ...options, "-c", "print(1)"]);
  assertEquals([shell.code, shell.stdout], [0, "1\n"]);
  const { client, status } = JSON.parse(shell.stderr);
  assertEquals([client, status], ["shell", "success"]);

  await using folder = await tempFolder();
  const file = join(folder.path, "runs.log");
  {
    await using python = await openPython({
      ...{ cacheDir: CACHE, logFile: file, logFormat: "json" },
    });
    await python.run("1");
    await python.run("2");
  }
  assertEquals(readRuns(file).map(({ client }) => client), [
    ...["library", "library"],
  ]);

  if (Deno.build.os !== "linux") return;
  const full = await command([
    ...["run", "--log-file", "/dev/full", "--log-level", "debug"],
    ...["-c", "print(1)"],
  ]);
  assertEquals([full.code, full.stdout], [0, "1\n"]);
  assertEquals(
    full.stderr.match(/^warning: Cannot write logs to /gm)?.length,
    1,
  );
});

Deno.test("logs: a file that cannot be opened, or that Python could see, is an error at the start", async () => {
  await using folder = await tempFolder();
  const [shared] = await folder.make("shared");
  const refused = async (path: string, ...more: string[]) => {
    const { code, stderr, stdout } = await command([
      ...["--log-file", path, ...more, "run", "-c", "print(1)"],
    ]);
    assertEquals([code, stdout], [2, ""]);
    return stderr;
  };
  const inNoFolder = join(folder.path, "none", "x.log");
  assertMatch(
    await refused(inNoFolder),
    /^error: Cannot write logs to ".*x\.log": No such file .*\. Choose another file with --log-file\.$/m,
  );
  assertMatch(
    await refused(join(shared, "x.log"), "--mount", shared),
    /^error: Cannot write logs to ".*": it is within ".*shared", which Python sees\./m,
  );
});
