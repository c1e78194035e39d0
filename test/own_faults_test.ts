/**
 * Faults of our own: a process that meets one ends with its cause on stderr, and
 * not as if all were well; a sandbox process ends without a broker to end it.
 *
 * @module
 */
import { ENGINE } from "../src/engines/index.ts";
import { REQUEST } from "./support/request.ts";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import type { ServerSettings } from "../src/protocol/server_settings.ts";
import { DEFAULTS } from "../src/settings.ts";
import { residentMiB } from "./support/proc.ts";
import { startBareSandbox, startBareServer } from "./support/bare_process.ts";

Deno.test("a server that reads a malformed frame ends with its cause", async () => {
  await using server = startBareServer();
  await server.write("\x1enonsense 1 {}");
  const { code, stderr } = await server.ended();
  assertEquals(code, 1);
  assertMatch(stderr, /server ends: .*Cannot read frame header "nonsense/);
});

Deno.test("a server that ends by its own fault answers what is open", async () => {
  await using server = startBareServer();
  const settings: ServerSettings = {
    ...DEFAULTS,
    ...{ allowInstall: [], allowNet: [], variables: {}, version: "0" },
    environment: { id: "", python: "3", requested: [], packages: [] },
    expected: [],
    ...{ sessions: true, stateful: false },
    ...{ lostSessions: "fresh", maxSessions: 16, maxSessionsMiB: 1000 },
    ...{ engine: ENGINE.profile, otherEngines: [] },
    pool: { ready: 1, running: 1, waiting: 9 },
    audits: true,
  };
  const say = (message: object) =>
    server.write(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const first = JSON.stringify({ kind: "settings", settings });
  await server.write(`\x1efrom 0 ${first}`);
  const clientInfo = { name: "x", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {} };
  await say({ id: 1, method: "initialize", params: { ...params, clientInfo } });
  await say({
    ...{ id: 2, method: "tools/call" },
    params: { name: "run_python_code", arguments: { "python_code": "1" } },
  });
  const heard: string[] = [];
  const audited: string[] = [];
  for await (const line of server.lines) {
    // It has taken the call, and waits for a sandbox process.
    if (line.startsWith("\x1espawn")) await server.write("\x1enonsense 1 {}");
    else if (line.endsWith('{"kind":"audit"}')) {
      // The bytes behind it have no end of line: the next message is on theirs.
      const size = Number(/ \+(\d+) /.exec(line)?.[1]);
      const { value: next = "" } = await server.lines.next();
      audited.push(next.slice(0, size));
      heard.push(next.slice(size));
    } else if (!line.startsWith("\x1e")) heard.push(line);
  }
  assertEquals((await server.ended()).code, 1);
  assertEquals(audited.length, 1);
  assertMatch(
    `${audited}`,
    /"client":"x",.*"replaced":"a fault of the server"/,
  );
  const [, refused = ""] = heard;
  assertMatch(refused, /"id":2,"error":.*"code":-32603,.*fault of its own/);
});

Deno.test("a sandbox process that reads no JSON tells its cause and ends", async () => {
  await using sandbox = await startBareSandbox();
  await sandbox.until("ready");
  await sandbox.write("{");
  await sandbox.until("failed");
  const { code, stderr } = await sandbox.ended();
  assertEquals(code, 1);
  assertMatch(stderr, /sandbox process ends: SyntaxError/);
});

Deno.test("a sandbox process ends well when its input ends", async () => {
  await using sandbox = await startBareSandbox();
  await sandbox.until("ready");
  await sandbox.close();
  assertEquals((await sandbox.ended()).code, 0);
});

const HOG = `
import js
from pyodide.ffi import create_proxy
held = []
def more():
    held.append(js.Uint8Array.new(32 << 20))
    held[-1].fill(1)
js.setInterval(create_proxy(more), 1)`;

Deno.test("escape: memory that a run takes after its end ends its process, before any word of the server", async () => {
  await using sandbox = await startBareSandbox();
  await sandbox.until("ready");
  await sandbox.send({
    type: "run",
    id: 1,
    request: { ...REQUEST, code: HOG },
  });
  await sandbox.until("done");
  assertEquals((await sandbox.ended()).code, 1);
});

/** Leaves garbage in the process that takes its pictures. */
const LITTER = `
from mcp_runner import displays
data = "\\u1234" * 8_000_000
for _ in range(12): displays._send("image/svg+xml", data)`;

Deno.test("escape: a run leaves no memory in its process that the next run has to pay for", async () => {
  await using sandbox = await startBareSandbox();
  await sandbox.until("ready");
  const before = residentMiB(sandbox.pid);
  for (let id = 1; id <= 2; id++) {
    await sandbox.send({
      ...{ type: "run", id },
      request: { ...REQUEST, code: LITTER },
    });
    await sandbox.until("done");
    await sandbox.send({ type: "next" });
    if (!await sandbox.maybeReady()) return;
    const left = residentMiB(sandbox.pid) - before;
    assert(left < 200, `${left} MiB are left`);
  }
});

const STUBBORN = `
print("x" * 10_000_000)
while True:
    try:
        while True: pass
    except KeyboardInterrupt: pass`;

Deno.test("escape: a run that was given up ends its process, though no process reads its output", async () => {
  await using sandbox = await startBareSandbox({ maxOutput: null });
  await sandbox.until("ready");
  await sandbox.send({
    ...{ type: "run", id: 1 },
    request: { ...REQUEST, code: STUBBORN, timeoutMs: 300 },
  });
  assertEquals((await sandbox.ended()).code, 1);
});
