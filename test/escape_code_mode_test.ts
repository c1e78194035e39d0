/**
 * Ways out by code mode: of Python that may call servers, of servers that are
 * called, and of files that name servers.
 *
 * @module
 */
import { join } from "node:path";
import { assertEquals, assertMatch, assertNotEquals } from "../deps/assert.ts";
import { DENO_DIR } from "../src/launcher/program_files.ts";
import { withServers } from "./support/code_mode.ts";
import { CACHE, CLI, POOL } from "./support/command.ts";
import {
  type ConfiguredServer,
  smallServer,
} from "./support/downstream_servers.ts";
import { namesIn, tempFolder } from "./support/folder.ts";
import { startHttp } from "./support/http_server.ts";
import { connectTo, startServer, type TestServer } from "./support/server.ts";

interface Ran {
  status: string;
  value: unknown;
  text: string;
  session: string;
}

async function run(
  { client }: Pick<TestServer, "client">,
  code: string,
  servers: string[] = [],
  more: Record<string, unknown> = {},
): Promise<Ran> {
  const { content, structuredContent } = await client.callTool({
    name: "run_python",
    arguments: { code, servers, ...more },
  });
  const { status = "success", return_value: value, session = "" } = {
    ...Object(structuredContent),
  };
  const text = content.map((part) => part.type === "text" ? part.text : "");
  return { status, value, text: text.join(""), session };
}

Deno.test("escape: files that code writes into a mount start no server", async () => {
  await using folder = await tempFolder();
  const [repository, home, state] = await folder.make("app", "home", "state");
  await using server = await connectTo([
    ...[CLI, "--cache-dir", CACHE, ...POOL, "--mcp-config", "discover"],
    ...["--state-dir", state, "--mount", `${repository}:/mnt/app:rw`, "stdio"],
  ], { cwd: repository, env: { HOME: home, XDG_CONFIG_HOME: "", DENO_DIR } });
  const entry = (path: string) => ({
    mcpServers: { evil: { command: "/bin/touch", args: [path] } },
  });
  const wrote = await run(
    server,
    `import json, os
os.makedirs("/mnt/app/mcp-servers")
for path in (".mcp.json", "mcp-servers/evil.json"):
    with open(f"/mnt/app/{path}", "w") as file:
        file.write(${
      JSON.stringify(JSON.stringify(entry(join(home, "touched"))))
    })
sorted(os.listdir("/mnt/app"))`,
  );
  assertEquals(wrote.value, [".mcp.json", "mcp-servers"]);
  const found = await run(server, "discovered_servers()");
  assertEquals(found.value, []);
  const called = await run(server, "mcp_evil.list_tools()", ["evil"]);
  assertEquals(called.status, "validation_error");
  assertEquals(await namesIn(home), []);
});

Deno.test("escape: a program that code writes into a mount is not run for a server", async () => {
  await using folder = await tempFolder();
  const [repository, home] = await folder.make("app", "home");
  const names = { tool: {}, folder: { cwd: repository }, path: {} };
  const commands = Object.entries(names).map(([name, more]) =>
    [name, { command: `${name}-x`, ...more }] as const
  );
  const config = join(folder.path, "servers.json");
  await Deno.writeTextFile(
    config,
    JSON.stringify({
      mcpServers: {
        ...Object.fromEntries(commands),
        shell: { command: "sh", args: ["-c", `exec '${repository}/tool-x'`] },
        modules: {
          ...{ command: "sh", args: ["-c", ". $ENV"] },
          env: { ENV: join(repository, "tool-x") },
        },
      },
    }),
  );
  const PATH = `${join(repository, "bin")}:${Deno.env.get("PATH")}`;
  await using server = await connectTo([
    ...[CLI, "--cache-dir", CACHE, ...POOL, "--mcp-config", config],
    ...["--mount", `${repository}:/mnt/app:rw`, "stdio"],
  ], { cwd: home, env: { HOME: home, DENO_DIR, PATH } });
  const wrote = await run(
    server,
    `import os
os.makedirs("/mnt/app/bin")
for path in ("tool-x", "bin/tool-x", "bin/path-x", "folder-x"):
    with open(f"/mnt/app/{path}", "w") as file:
        file.write("#!/bin/sh\\ntouch ${join(home, "touched")}\\n")
    os.chmod(f"/mnt/app/{path}", 0o755)
discovered_servers()`,
  );
  // What the search of a program may find there is left out of the search.
  assertEquals(wrote.value, ["tool", "path"], wrote.text);
  for (const name of ["tool", "folder", "path", "shell", "modules"]) {
    const called = await run(server, `mcp_${name}.list_tools()`, [name]);
    assertNotEquals(called.status, "success", called.text);
  }
  assertEquals((await namesIn(home)).includes("touched"), false);
});

Deno.test("escape: a server's name takes no other name's place in Python", async () => {
  await using folder = await tempFolder();
  const servers = ["servers", "__path__", "__getattr__", "time"];
  await using server = await startServer(
    await withServers(
      folder.path,
      Object.fromEntries(servers.map((name) => [name, smallServer(name)])),
    ),
  );
  const ran = await run(
    server,
    `import mcp.servers
from mcp.servers import time
try:
    mcp.servers.absent
except AttributeError as error:
    reason = str(error)
[repr(mcp_servers["time"]), repr(time), repr(mcp_servers_2), mcp.servers.__path__, reason]`,
    servers,
  );
  const [item, module, alias, path, reason] = Array.isArray(ran.value)
    ? ran.value
    : [];
  const time = "<MCP server 'time'>";
  assertEquals([item, module], [time, time], ran.text);
  assertEquals([alias, path], ["<MCP server 'servers'>", []]);
  assertMatch(`${reason}`, /^No server "absent" is configured/);
});

/** Sources of saved tools that end an interpreter, or keep it for hours. */
const POISON: Record<string, string> = {
  attributes: String.raw`"def it():\n return x" + ".a" * 30000`,
  calls: String.raw`"def it():\n return x" + "()" * 30000`,
  sums: String.raw`"def it():\n return x" + "+x" * 30000`,
  brackets: String
    .raw`"def it():\n return " + ("x" + ".a" * 500 + "(") * 45 + ")" * 45`,
  elifs: String.raw`"def it():\n if x:0\n" + " elif x:0\n" * 6000`,
  finals: String
    .raw`"def it():\n" + "".join(f"{' ' * i} try: pass\n{' ' * i} finally:\n" for i in range(18)) + " " * 20 + "pass"`,
};

Deno.test("escape: a saved tool cannot end the sessions after it", async () => {
  await using folder = await tempFolder();
  await using server = await startServer([
    ...["--code-mode", "--state-dir", join(folder.path, "state")],
  ]);
  for (const [name, source] of Object.entries(POISON)) {
    const saved = await run(
      server,
      `from mcp_run_python import host_calls
await host_calls.call("save_function", {"name": ${
        JSON.stringify(name)
      }, "source": (${source}).replace("it()", ${
        JSON.stringify(`${name}()`)
      })})`,
      [],
      { session: "none" },
    );
    assertEquals(saved.status, "success", saved.text);
  }
  const later = await run(
    server,
    `reasons = {}
for name in list_saved_tools():
    try:
        globals()[name]()
    except Exception as error:
        reasons[name] = str(error)
[reasons["sums"], [delete_saved_tool(name) for name in list_saved_tools()]]`,
    [],
    { session: "none" },
  );
  const [reason, deleted] = Array.isArray(later.value) ? later.value : [];
  assertMatch(`${reason}`, /cannot be used: line 2 of its source/, later.text);
  assertEquals(deleted, Object.keys(POISON).map(() => true), later.text);
});

Deno.test("escape: saved tools that take long to compile cost the runs that do not use them nothing", async () => {
  await using folder = await tempFolder();
  await using server = await startServer([
    ...["--code-mode", "--state-dir", join(folder.path, "state")],
  ]);
  const saved = await run(
    server,
    `from mcp_run_python import host_calls
line = "    x = [x, 1, 'a', {1: 2}, lambda y: y + 1]\\n"
for n in range(18):
    await host_calls.call("save_function", {"name": f"heavy{n}", "source": f"def heavy{n}(x=0):\\n{line * 1200}"})`,
    [],
    { session: "none" },
  );
  assertEquals(saved.status, "success", saved.text);
  // Compiled, they would take ten seconds and more on any machine.
  const more = { session: "none", timeout: 5 };
  const later = await run(server, "len(list_saved_tools())", [], more);
  assertEquals(later.value, 18, later.text);
});

Deno.test("escape: a caller of HTTP reaches nothing that another has kept", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "tokens");
  const [alice, bob] = ["alice", "bob"].map((name) => name.repeat(12));
  const text = `alice ${alice}\nbob ${bob}\n`;
  await Deno.writeTextFile(file, text, { mode: 0o600 });
  await using server = await startHttp([
    ...["--code-mode", "--state-dir", join(folder.path, "state")],
    ...["--token-file", file],
  ]);
  const calls = `from mcp_run_python import host_calls`;
  await using first = await server.connect("2025-11-25", {
    token: alice ?? "",
  });
  const kept = await run(
    first,
    `${calls}
def stolen(): return "alice"
save_tool(stolen)
save_memory("key", "alice")
artifacts.save("file", b"alice")
(await host_calls.call("artifact", {"action": "begin", "name": "file", "size": 1}))["draft"]`,
    [],
    { session: "new" },
  );
  assertEquals(kept.status, "success", kept.text);
  const { session } = kept;
  assertMatch(session, /^[0-9a-f-]{36}$/);
  await using other = await server.connect("2025-11-25", { token: bob ?? "" });
  const tried = await run(
    other,
    `${calls}
came = [list_saved_tools(), load_memory("key"), list_memories(), artifacts.list(), delete_memory("key")]
for owner in ("alice", "caller alice"):
    came.append((await host_calls.call("memory", {"action": "load", "key": "key", "owner": owner}))["found"])
for action in ("commit", "append", "abort"):
    try:
        came.append(await host_calls.call("artifact", {"action": action, "draft": ${
      JSON.stringify(kept.value)
    }, "data": "AA=="}))
    except RuntimeError:
        came.append("refused")
came`,
  );
  assertEquals(tried.value, [
    ...[[], null, [], [], false, false, false],
    ...["refused", "refused", "refused"],
  ], tried.text);
  const foreign = await run(other, "stolen()", [], { session });
  assertEquals(foreign.status, "error", foreign.text);
  const own = await run(first, 'load_memory("key")');
  assertEquals(own.value, "alice");
});

/** An entry that is new, one that is another program, and one that is more widely known. */
const PLANTED: Record<string, (path: string) => ConfiguredServer> = {
  fresh: (path) => toucher(path),
  known: (path) => toucher(path),
  apart: () => ({ ...smallServer("apart"), always: true }),
};

function toucher(path: string): ConfiguredServer {
  return { command: "/bin/touch", args: [path] };
}

/** Has a server of files write the file of servers, on order of Python. */
async function plant(
  server: TestServer,
  file: string,
  mcpServers: Record<string, ConfiguredServer>,
): Promise<void> {
  const text = JSON.stringify(JSON.stringify({ mcpServers }));
  const path = JSON.stringify(file);
  const ran = await run(
    server,
    `await mcp_files.write(path=${path}, text=${text})`,
    ["files"],
  );
  assertEquals(ran.status, "success", ran.text);
}

Deno.test("escape: entries that code has a server of files write are not started unasked", async () => {
  await using folder = await tempFolder();
  const [home] = await folder.make("home");
  const starts = join(folder.path, "starts");
  const files = smallServer("files", { WRITES: "1", STARTS: starts });
  const before = {
    files,
    known: smallServer("known"),
    apart: smallServer("apart"),
  };
  await using server = await startServer(
    await withServers(folder.path, before),
  );
  const planted = Object.entries(PLANTED)
    .map(([name, make]) => [name, make(join(home, name))] as const);
  const now = { files, ...Object.fromEntries(planted) };
  await plant(server, join(folder.path, "mcp.json"), now);
  for (const [name] of planted) {
    const called = await run(
      server,
      `from mcp_run_python import host_calls
reasons = []
for name, more in (("mcp_list_tools", {}), ("mcp_call_tool", {"tool": "token", "arguments": {}})):
    try:
        await host_calls.call(name, {"server": "${name}", **more})
    except Exception as error:
        reasons.append(str(error))
reasons`,
      [name],
    );
    const reasons = [called.value].flat();
    assertEquals(reasons.length, 2, called.text);
    for (const reason of reasons) {
      assertMatch(
        `${reason}`,
        new RegExp(
          `"${name}" is not started: .*entry.*mcp\\.json.*(added|changed).*[Rr]estart`,
        ),
      );
    }
  }
  assertEquals(await namesIn(home), []);
  // Nor is one that stays as it was started anew.
  const kept = await run(server, `(await mcp_files.token()).text`, ["files"]);
  assertEquals(kept.value, "undefined", kept.text);
  assertEquals(await Deno.readTextFile(starts), "files\n");
});
