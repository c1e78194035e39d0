/**
 * `servers list` over the files of real clients, in a real home and project.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { DENO_DIR } from "../src/launcher/program_files.ts";
import { log } from "../src/log.ts";
import { command } from "./support/command.ts";
import { tempFolder } from "./support/folder.ts";
import { clientFile } from "./support/mcp_client_files.ts";

const NOT_LINUX = Deno.build.os !== "linux" && "the paths are those of Linux";
if (NOT_LINUX) log(`skipped: servers list: ${NOT_LINUX}`);

Deno.test({
  name:
    "servers list finds the servers of each client with --mcp-config discover, and none without it",
  ignore: Boolean(NOT_LINUX),
  async fn() {
    await using folder = await tempFolder();
    const [home, project] = await folder.make("home", "project");
    const write = async (path: string, file: string) => {
      await Deno.mkdir(join(path, ".."), { recursive: true });
      await Deno.writeTextFile(path, clientFile(file));
    };
    await write(join(project, ".mcp.json"), "claude_code/.mcp.json");
    await write(join(project, ".vscode/mcp.json"), "vs_code/mcp.json");
    await write(join(home, ".cursor/mcp.json"), "cursor/mcp.json");
    await write(join(home, ".gemini/settings.json"), "gemini/settings.json");
    await write(join(home, ".codex/config.toml"), "codex/config.toml");
    await write(
      join(home, ".codeium/windsurf/mcp_config.json"),
      "windsurf/mcp_config.json",
    );
    const place = {
      cwd: project,
      env: {
        ...{ HOME: home, DENO_DIR, XDG_CONFIG_HOME: "", CODEX_HOME: "" },
        ...{ CLAUDE_CONFIG_DIR: "", MY_KEY: "a-key-of-mine", API_URL: "u" },
        ...{ MCP_SERVERS_CONFIG: "" },
      },
    };
    const off = await command(["servers", "list"], place);
    assertMatch(off.stdout, /^Servers\n {2}none: .*, or discover them$/m);
    assert(off.stdout.includes(join(home, ".cursor/mcp.json")));

    const found = await command(
      ["--mcp-config", "discover", "servers", "list", "--json"],
      place,
    );
    assertEquals([found.code, found.stderr], [0, ""]);
    const { servers, skipped, undiscovered } = JSON.parse(found.stdout);
    const toNames = (list: { name: string; client: string }[]) =>
      list.map(({ name, client }) => `${client}: ${name}`);
    assertEquals(toNames(servers), [
      ...["Claude Code: docs", "Claude Code: build"],
      ...["VS Code: memory", "VS Code: context7", "VS Code: sandboxed"],
      ...["Gemini CLI: pythonTools", "Gemini CLI: typed"],
      ...["Codex: narrow", "Windsurf: ollama"],
    ]);
    assert(toNames(skipped).includes("Codex: context7"), found.stdout);
    assert(toNames(skipped).includes("Cursor: postgres"));
    assertEquals(undiscovered, []);
    assert(!found.stdout.includes("a-key-of-mine"));
  },
});

Deno.test("a start names a file of --mcp-config that cannot be read", async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, "mcp.json");
  await Deno.writeTextFile(path, '{"mcpServers": {\n"a": secret');
  const { code, stderr } = await command(
    ["--mcp-config", path, "servers", "list"],
  );
  assertEquals(code, 2);
  assertMatch(
    stderr,
    /Cannot read the MCP servers in ".*mcp\.json": line 2 is not JSON/,
  );
  assert(!stderr.includes("secret"));
});
