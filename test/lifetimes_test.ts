/**
 * However it ends, nothing is left behind: real processes, counted.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { makeCache } from "./support/cache.ts";
import { CACHE, CLI } from "./support/command.ts";
import { startIndex } from "./support/index_server.ts";
import { maybeRead } from "./support/proc.ts";
import { commandLine, descendants, whichOutlive } from "./support/processes.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { wheel } from "./support/wheel.ts";

const NO_PROC = Deno.build.os !== "linux" && "needs /proc to count processes";
if (NO_PROC) log(`skipped: lifetimes: ${NO_PROC}`);

const BUSY = "while True: pass";

function lifetime(
  name: string,
  end: (server: TestServer, family: Family) => void | Promise<void>,
): void {
  Deno.test({
    name: `nothing is left after ${name}`,
    ignore: Boolean(NO_PROC),
    async fn() {
      const server = await startServer();
      server.call(BUSY).catch(() => {});
      const family = await settle(server);
      await end(server, family);
      assertEquals(await whichOutlive(family.all), []);
      await server.client.close();
    },
  });
}

lifetime("the client closes", (server) => server.client.close());
lifetime("SIGTERM", (server) => Deno.kill(server.pid, "SIGTERM"));
lifetime("SIGINT", (server) => Deno.kill(server.pid, "SIGINT"));
lifetime(
  "SIGKILL of the launcher",
  (server) => Deno.kill(server.pid, "SIGKILL"),
);
lifetime(
  "SIGKILL of the server",
  (_, { server }) => Deno.kill(server, "SIGKILL"),
);

Deno.test({
  name: "nothing is left after a client closes stdin in a call",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using launcher = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", CLI, "--cache-dir", CACHE, "stdio"],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const writer = launcher.stdin.getWriter();
    const lines = [
      {
        method: "initialize",
        id: 1,
        params: {
          protocolVersion: "2025-11-25",
          capabilities: {},
          clientInfo: { name: "x", version: "1" },
        },
      },
      {
        method: "tools/call",
        id: 2,
        params: { name: "run_python_code", arguments: { python_code: BUSY } },
      },
    ];
    for (const line of lines) {
      const text = JSON.stringify({ jsonrpc: "2.0", ...line });
      await writer.write(new TextEncoder().encode(`${text}\n`));
    }
    const reader = launcher.stdout.getReader();
    await reader.read();
    const family = [launcher.pid, ...descendants(launcher.pid)];
    await writer.close();
    assertEquals(await whichOutlive(family), []);
    await reader.cancel();
  },
});

Deno.test({
  name:
    "a sandbox that is killed is replaced: its call crashes, the next works",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using server = await startServer();
    const busy = server.call(BUSY);
    const { sandboxes } = await settle(server);
    for (const pid of sandboxes) Deno.kill(pid, "SIGKILL");
    const result = await busy;
    assertEquals(result.status, "crashed", result.text);
    assertMatch(String(result.error), /SIGKILL/);
    assertEquals((await server.call("3")).returnValue, 3);
  },
});

Deno.test({
  name: "nothing is left after SIGKILL of a launcher that imports",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using cache = await makeCache();
    const files = { "mrp_fixture_busy/__init__.py": BUSY };
    await using index = startIndex([
      wheel({ name: "mrp-fixture-busy", files }),
    ]);
    const launcher = new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "-A", CLI, "--cache-dir", cache.folder],
        ...["--index-url", index.url, "--deps", "mrp-fixture-busy", "install"],
      ],
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    for await (
      const line of launcher.stderr.pipeThrough(new TextDecoderStream())
    ) {
      if (line.includes("Importing")) break;
    }
    const isPreloader = (pid: number) =>
      commandLine(pid).includes("/preloader/main.ts");
    while (!descendants(launcher.pid).some(isPreloader)) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const family = [launcher.pid, ...descendants(launcher.pid)];
    launcher.kill("SIGKILL");
    await launcher.status;
    assertEquals(await whichOutlive(family), []);
  },
});

/** CPU time, in ticks of 10 ms, that getting ready never takes. */
const BUSY_TICKS = 150;

function cpuTicks(pid: number): number {
  const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

interface Family {
  all: number[];
  server: number;
  sandboxes: number[];
}

/** Waits until a call runs, and finds its family. */
async function settle(server: TestServer): Promise<Family> {
  while (true) {
    const below = descendants(server.pid).map((pid) => ({
      pid,
      line: maybeRead(`/proc/${pid}/cmdline`) ?? "",
    }));
    const serverPid = below.find(({ line }) =>
      line.includes("/server/main.ts")
    );
    const sandboxes = below.filter(({ line }) =>
      line.includes("/sandbox/main.ts")
    );
    const isBusy = sandboxes.some(({ pid }) => cpuTicks(pid) > BUSY_TICKS);
    if (serverPid && isBusy) {
      assert(below.length === 1 + sandboxes.length, JSON.stringify(below));
      return {
        all: [server.pid, ...below.map(({ pid }) => pid)],
        server: serverPid.pid,
        sandboxes: sandboxes.map(({ pid }) => pid),
      };
    }
    await server.client.ping();
  }
}

Deno.test({
  name: "a client that reads no more keeps nothing, once it has closed its end",
  ignore: Boolean(NO_PROC),
  async fn() {
    const launcher = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", CLI, "--cache-dir", CACHE, "stdio"],
      ...{ stdin: "piped", stdout: "piped", stderr: "null" },
    }).spawn();
    const input = launcher.stdin.getWriter();
    const say = async (message: object) => {
      const text = JSON.stringify({ jsonrpc: "2.0", ...message });
      await input.write(new TextEncoder().encode(`${text}\n`));
    };
    await say({
      ...{ id: 1, method: "initialize" },
      params: {
        ...{ protocolVersion: "2025-11-25", capabilities: {} },
        clientInfo: { name: "test", version: "1" },
      },
    });
    await say({ method: "notifications/initialized" });
    await say({
      ...{ id: 2, method: "logging/setLevel", params: { level: "debug" } },
    });
    const code = `print("\\n" * 49_000, flush=True)\n${BUSY}`;
    await say({
      ...{ id: 3, method: "tools/call" },
      params: { name: "run_python_code", arguments: { python_code: code } },
    });
    const output = launcher.stdout.getReader();
    let read = "";
    while (!read.includes("notifications/message")) {
      read += new TextDecoder().decode((await output.read()).value);
    }
    const family = descendants(launcher.pid);
    await input.close();
    assertEquals(await whichOutlive(family), []);
    assertEquals(await whichOutlive([launcher.pid]), []);
    await output.cancel();
    await launcher.status;
  },
});

Deno.test({
  name: "nothing is left after a client with a subscription closes stdin",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using launcher = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", CLI, "--cache-dir", CACHE, "stdio"],
      ...{ stdin: "piped", stdout: "piped", stderr: "null" },
    }).spawn();
    const family = () => [launcher.pid, ...descendants(launcher.pid)];
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "x", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const listen = {
      ...{ jsonrpc: "2.0", id: 1, method: "subscriptions/listen" },
      params: { _meta, notifications: { resourcesListChanged: true } },
    };
    const writer = launcher.stdin.getWriter();
    const line = new TextEncoder().encode(`${JSON.stringify(listen)}\n`);
    await writer.write(line);
    const reader = launcher.stdout.getReader();
    const { value } = await reader.read();
    assertMatch(
      new TextDecoder().decode(value),
      /notifications\/subscriptions\/acknowledged/,
    );
    const open = family();
    await writer.close();
    assertEquals(await whichOutlive(open), []);
    await reader.cancel();
  },
});
