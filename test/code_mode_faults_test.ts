/**
 * The faults of this contract's predecessor, over real stdio with real servers.
 * Others have their tests elsewhere: a fresh install (`install_test.ts`), statuses
 * of failures, the loss of a session's state, the type of the manual
 * (`run_python_test.ts`), keys of each client (`servers_command_test.ts`).
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { runCode, valueOfCode, withServers } from "./support/code_mode.ts";
import {
  type ConfiguredServer,
  illBehaved,
  smallServer,
} from "./support/downstream_servers.ts";
import { tempFolder } from "./support/folder.ts";
import { descendants, whichOutlive } from "./support/processes.ts";
import { startServer, type TestServer } from "./support/server.ts";

/** A test with a server of its own over these downstream servers. */
function fault(
  name: string,
  servers: Record<string, ConfiguredServer>,
  fn: (server: TestServer, folder: string) => Promise<void>,
): void {
  Deno.test(`fault: ${name}`, async () => {
    await using folder = await tempFolder();
    const options = await withServers(folder.path, servers);
    await using server = await startServer(options);
    await fn(server, folder.path);
  });
}

const GOOD = { good: illBehaved("good") };
const ONE = { one: smallServer("one") };

fault("loading a downstream server hung the server", {
  ...GOOD,
  hangs: illBehaved("hangs_at_start"),
}, async (server) => {
  const both = ["hangs", "good"];
  const echo = "(await mcp_good.echo(text='here')).text";
  assertEquals(await valueOfCode(server, echo, both), "here");
  // A run that waits for the server that hangs keeps no other call from its answer.
  const stop = new AbortController();
  const hanging = server.client.callTool({
    name: "run_python",
    arguments: {
      ...{ code: "await list_tools('hangs')", servers: both },
      session: "none",
    },
  }, { signal: stop.signal }).catch(() => "given up");
  assertEquals((await server.client.listTools()).tools.length, 1);
  const other = await runCode(server, echo, {
    ...{ servers: both, session: "none" },
  });
  assertEquals(other.return_value, "here");
  stop.abort();
  assertEquals(await hanging, "given up");
});

fault(
  "an exception after a call was reported as success",
  GOOD,
  async (server) => {
    for (
      const [code, status] of [
        ["await mcp_good.echo(text='x'); 1 / 0", "error"],
        ["await mcp_good.no_such_tool()", "error"],
        ["await mcp_good.refuse()", "error"],
        ["import sys; sys.exit(3)", "error"],
        ["def broken(:", "error"],
        ["import sys; sys.exit(0)", "success"],
      ] as const
    ) {
      const answer = await runCode(server, code, { servers: ["good"] });
      assertEquals([answer.status, answer.isError], [
        ...[status, status === "error"],
      ], code);
    }
  },
);

Deno.test("fault: saved functions and memory never worked, even less in a later server", async () => {
  await using folder = await tempFolder();
  const options = await withServers(folder.path, ONE);
  {
    await using server = await startServer(options);
    await valueOfCode(
      server,
      `async def twice(text):
    """Asks for a text twice."""
    return 2 * (await mcp_one.tool_0(text=text)).text
save_tool(twice)
save_memory("facts", {"n": 1})
update_memory("facts", lambda facts: {**facts, "m": 2})`,
      ["one"],
    );
  }
  await using server = await startServer(options);
  const code = `[await twice("ab"), load_memory("facts")]`;
  assertEquals(await valueOfCode(server, code, ["one"]), [
    ...["abab", { n: 1, m: 2 }],
  ]);
});

fault(
  "parallel calls crossed their answers",
  GOOD,
  async (server) => {
    const gather = (mark: string) =>
      runCode(
        server,
        `import asyncio
[it.text for it in await asyncio.gather(*(mcp_good.echo(text=f"${mark}{i}") for i in range(30)))]`,
        { servers: ["good"], session: "none" },
      );
    const marks = ["a", "b", "c", "d"];
    const answers = await Promise.all(marks.map(gather));
    const expected = marks.map((mark) =>
      Array.from({ length: 30 }, (_, at) => `${mark}${at}`)
    );
    assertEquals(answers.map((one) => one.return_value), expected);
    // The server answers the second of these calls first.
    const crossed = `[it.text for it in await asyncio.gather(
    mcp_good.crossed(text="first"), mcp_good.crossed(text="second"))]`;
    const told = await valueOfCode(server, `import asyncio\n${crossed}`, [
      "good",
    ]);
    assertEquals(told, ["first", "second"]);
  },
);

fault(
  "a line of 64 KiB, or 100 KB of code, broke the connection",
  ONE,
  async (server) => {
    const code = `text = "é" * 100_000
same = (await mcp_one.tool_0(text=text)).text == text
${"x = 1 + 1\n".repeat(10_000)}
print("z" * 70_000)
same`;
    assertEquals(await valueOfCode(server, code, ["one"]), true);
    assertEquals(await valueOfCode(server, "x"), 2);
  },
);

fault(
  "gc.collect() killed the server's code, and proxies with it",
  ONE,
  async (server) => {
    const code = `import asyncio, gc
pending = [asyncio.ensure_future(mcp_one.tool_0(text=str(i))) for i in range(5)]
gc.collect()
texts = [(await one).text for one in pending]
del pending
gc.collect()
[texts, (await mcp_one.tool_0(text="on")).text]`;
    assertEquals(await valueOfCode(server, code, ["one"]), [
      ...[["0", "1", "2", "3", "4"], "on"],
    ]);
  },
);

fault(
  "processes of downstream servers were left behind",
  GOOD,
  async (server) => {
    const pids = await valueOfCode(
      server,
      "[*map(int, (await mcp_good.spawn_child()).text.strip('[]').split(','))]",
      ["good"],
    );
    const [downstream, child] = pids as [number, number];
    const all = descendants(server.pid);
    assert(all.includes(downstream), `${all} has ${downstream}`);
    // None of them has a last word of the launcher.
    Deno.kill(server.pid, "SIGKILL");
    assertEquals(await whichOutlive([...all, downstream, child]), []);
  },
);

fault(
  "a server that a later call asked for first got no proxy",
  { ...ONE, two: smallServer("two") },
  async (server) => {
    const one =
      `kept = (await mcp_one.tool_0(text="1")).text; "mcp_two" in globals()`;
    assertEquals(await valueOfCode(server, one, ["one"]), false);
    const two =
      `[kept, (await mcp_two.tool_0(text="2")).text, "mcp_one" in globals()]`;
    assertEquals(await valueOfCode(server, two, ["two"]), ["1", "2", false]);
    const both = "from mcp.servers import one, two\nLOADED_MCP_SERVERS";
    assertEquals(await valueOfCode(server, both, ["one", "two"]), [
      ...["one", "two"],
    ]);
    const none = await runCode(server, "await mcp_one.tool_0(text='x')");
    assertMatch(none.text, /servers=\["one"\]/);
  },
);

fault(
  "a positional argument took the place of the tool's name",
  ONE,
  async (server) => {
    const code = `[(await mcp_one.tool_0("destroy")).text,
(await mcp_servers["one"].tool_0({"text": "token"})).text]`;
    assertEquals(await valueOfCode(server, code, ["one"]), [
      ...["destroy", "token"],
    ]);
  },
);

Deno.test("fault: one malformed entry hid its whole folder, and VS Code's real keys were not read", async () => {
  await using folder = await tempFolder();
  const [configured] = await folder.make("configured");
  const files = {
    "a.json": `{ "mcpServers": { // a comment
      "broken": { "command": 5 }, "good": ${JSON.stringify(smallServer("a"))},
    } }`,
    "b.json": "{ not JSON",
    "mcp.json": JSON.stringify({ servers: { code: smallServer("c") } }),
    "settings.json": JSON.stringify({
      mcp: { servers: { settings: smallServer("d") } },
    }),
  };
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(join(configured, name), text);
  }
  await using server = await startServer([
    ...["--mcp-config", configured, "--state-dir", `${folder.path}/state`],
  ]);
  const found = await valueOfCode(
    server,
    `[(await mcp_servers[name].tool_0(text=name)).text for name in sorted(LOADED_MCP_SERVERS)]`,
    ["good", "code", "settings"],
  );
  assertEquals(found, ["code", "good", "settings"]);
});

fault(
  "code in the background could forge control frames",
  ONE,
  async (server) => {
    const forge = `import asyncio, json, os, sys
frames = [
    {"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": "forged"}]}}
    for id in range(50)
] + [{"type": kind, "id": id, "result": "forged", "value": "forged"} for kind in ("result", "answer", "end") for id in range(20)]
def write():
    for frame in frames:
        line = json.dumps(frame) + "\\n"
        for stream in (sys.__stdout__, sys.__stderr__):
            print(line, file=stream, flush=True)
        for descriptor in (1, 2):
            try:
                os.write(descriptor, line.encode())
            except OSError:
                pass
async def later():
    while True:
        write()
        await asyncio.sleep(0)
task = asyncio.ensure_future(later())
await asyncio.sleep(0)
"begun"`;
    assertEquals(await valueOfCode(server, forge, ["one"]), "begun");
    const echo = `(await mcp_one.tool_0(text="true")).text`;
    for (let round = 0; round < 3; round++) {
      assertEquals(await valueOfCode(server, echo, ["one"]), "true");
      assertEquals((await server.client.listTools()).tools.length, 1);
    }
  },
);
