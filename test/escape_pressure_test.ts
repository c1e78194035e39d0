/**
 * Ways to hold limits up: a guest that keeps its process busy, and a client that
 * does not read.
 *
 * @module
 */
import { kill } from "../src/launcher/spawn.ts";
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { CACHE, CLI, withConstants } from "./support/command.ts";
import { tempFolder } from "./support/folder.ts";
import { NO_BRAKE } from "./support/no_brake.ts";
import { maybeRead, residentMiB } from "./support/proc.ts";
import { descendants, processesNamed } from "./support/processes.ts";
import { startServer } from "./support/server.ts";

const NO_PROC = Deno.build.os !== "linux" && "needs /proc to see memory";
if (NO_PROC) log(`skipped: pressure on limits: ${NO_PROC}`);

/** Limits of --memory and --max-files-size, and what Deno and a run take beside. */
const LIMITS = ["--memory", "128", "--max-files-size", "1"];
const ALLOWED_MIB = 128 + 1 + 512;
const DENO_MIB = 300;

/** What takes memory or time, and floods the process that is to see it. */
const FLOODS: Record<string, string> = {
  "large pictures": `${NO_BRAKE}
data = "x" * 16_000_000
while True: displays._send("image/svg+xml", data)`,
  "small pictures": `${NO_BRAKE}
while True: displays._send("image/png", "iVBORw0KGgo=")`,
  "large calls": `${NO_BRAKE}
from mcp_runner import host_calls
while True: host_calls._notify("progress", "x" * 16_000_000)`,
  "text": `${NO_BRAKE}
while True: print("x" * 1_000_000)`,
};

for (const [name, code] of Object.entries(FLOODS)) {
  Deno.test({
    name: `escape: a flood of ${name} holds neither time nor memory limit up`,
    ignore: Boolean(NO_PROC),
    async fn() {
      await using server = await startServer([...LIMITS, "+pool=1"]);
      await server.call("1");
      const [pid = 0] = processesNamed("sandbox", server.pid);
      assertMatch(maybeRead(`/proc/${pid}/limits`) ?? "", /data size +\d/);
      using peak = watchMemory(pid);
      const { status, text } = await server.call(code, { timeout: 1 });
      assertMatch(status, /^(timeout|memory-limit|crashed)$/, text);
      assert(!text.includes("was killed"), text);
      assert(peak.mebibytes < ALLOWED_MIB + DENO_MIB, `${peak.mebibytes} MiB`);
      assertEquals((await server.call("6 * 7")).returnValue, 42);
    },
  });
}

Deno.test("escape: a request costs its process no more than its bounds say", async () => {
  await using server = await startServer(["--allow-net", "127.0.0.1:9"]);
  const { returnValue, text } = await server.call(`
import json
from mcp_runner import network
said = []
for more in (
    {"headers": [[f"x{number}", ""] for number in range(300_000)]},
    {"url": "http://127.0.0.1:9/" + "x" * 1_000_000},
    {"url": {"length": 2**31}},
    {"url": {"length": -1e9}},
    {"headers": {"length": 2**31}},
):
    request = {"method": "GET", "url": "http://127.0.0.1:9/", "headers": [], **more}
    answer = await network._begin(network._make_id(), json.dumps(request), None)
    said.append(json.loads(answer).get("failure", {}).get("kind"))
said`);
  assertEquals(returnValue, Array(5).fill("invalid"), text);
});

/** Much more than a machine that is ten times slower takes. */
const PATIENCE_MS = 300_000;

/** Takes 32 MiB every 300 ms, when its run has long ended. */
const HOG = `
import js
from pyodide.ffi import create_proxy
held = []
def more():
    held.append(js.Uint8Array.new(32 << 20))
    held[-1].fill(1)
js.setInterval(create_proxy(more), 300)`;
const STUBBORN = `
while True:
    try:
        while True: pass
    except KeyboardInterrupt: pass`;

Deno.test({
  name: "escape: a client that does not read holds no limit up",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using folder = await tempFolder();
    const [shared = ""] = await folder.make("shared");
    await using client = startUnread([
      ...LIMITS,
      ...["+pool=1", "--max-concurrency", "1"],
      ...["--mount", `${shared}:/mnt/shared:rw`],
    ]);
    // More than a pipe holds.
    client.call(`print("\\n" * 49_000, flush=True)${HOG}`);
    client.call(STUBBORN, { timeout: 0.5 });
    client.call(`open("/mnt/shared/done", "w").close()`);
    const done = join(shared, "done");
    let most = 0;
    // What holds a limit up would keep this waiting for ever.
    const late = Date.now() + PATIENCE_MS;
    while (!await exists(done)) {
      assert(Date.now() < late, "no run starts any more");
      const all = processesNamed("sandbox", client.pid).map(residentMiB);
      most = Math.max(most, ...all);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert(most < ALLOWED_MIB + DENO_MIB, `${most} MiB`);
    assertEquals(descendants(client.pid).length > 0, true);
  },
});

interface UnreadClient extends AsyncDisposable {
  pid: number;
  call(code: string, args?: object): void;
}

/** A client that sends, and never reads. */
function startUnread(args: string[]): UnreadClient {
  const launcher = new Deno.Command(Deno.execPath(), {
    args: withConstants(
      ["run", "-A", CLI, "--cache-dir", CACHE, ...args, "stdio"],
    ),
    ...{ stdin: "piped", stdout: "piped", stderr: "null" },
  }).spawn();
  const input = launcher.stdin.getWriter();
  let last = 0;
  const say = (message: object) => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    input.write(new TextEncoder().encode(`${text}\n`)).catch(() => {});
  };
  const clientInfo = { name: "test", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {} };
  say({ id: 0, method: "initialize", params: { ...params, clientInfo } });
  say({ method: "notifications/initialized" });
  say({
    ...{ id: "log", method: "logging/setLevel", params: { level: "debug" } },
  });
  return {
    pid: launcher.pid,
    call(code, more = {}) {
      const args = { "python_code": code, ...more };
      say({
        ...{ id: ++last, method: "tools/call" },
        params: { name: "run_python_code", arguments: args },
      });
    },
    async [Symbol.asyncDispose]() {
      kill(launcher);
      await launcher.stdout.cancel();
      await launcher.status;
      await input.abort().catch(() => {});
    },
  };
}

/** The most memory that a process has taken so far. */
function watchMemory(pid: number): { mebibytes: number } & Disposable {
  const peak = { mebibytes: 0 };
  const look = () => {
    peak.mebibytes = Math.max(peak.mebibytes, residentMiB(pid));
  };
  const timer = setInterval(look, 10);
  return Object.assign(peak, {
    [Symbol.dispose]: () => clearInterval(timer),
  });
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
