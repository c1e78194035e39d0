/**
 * Ways out by code mode: of Python that may call servers, of servers that are
 * called, and of files that name servers.
 *
 * @module
 */
import { join } from "node:path";
import { assertEquals, assertMatch } from "../deps/assert.ts";
import { DENO_DIR } from "../src/launcher/program_files.ts";
import { CACHE, CLI, POOL } from "./support/command.ts";
import { illBehaved, writeServers } from "./support/downstream_servers.ts";
import { namesIn, tempFolder } from "./support/folder.ts";
import { connectTo, startServer, type TestServer } from "./support/server.ts";

interface Ran {
  status: string;
  value: unknown;
  text: string;
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
  const { status = "success", return_value: value } = {
    ...Object(structuredContent),
  };
  const text = content.map((part) => part.type === "text" ? part.text : "");
  return { status, value, text: text.join("") };
}

Deno.test("escape: files that code writes into a mount start no server", async () => {
  await using folder = await tempFolder();
  const [repository, home, state] = await folder.make("app", "home", "state");
  await using server = await connectTo([
    ...[CLI, "--cache-dir", CACHE, ...POOL, "--code-mode", "--discover"],
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
