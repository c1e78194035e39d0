import { assert, assertEquals } from "../../../deps/assert.ts";
import { type knownSources, toSources } from "./client_files.ts";

const LINUX = { os: "linux", cwd: "/srv/app", home: "/home/ada", env: {} };

Deno.test("toSources() has the files of clients on Linux in their order", () => {
  assertEquals(pathsOf(LINUX), [
    "/home/ada/MCPs",
    "/home/ada/.config/mcp/servers",
    "/srv/app/mcp-servers",
    "/srv/app/.mcp.json",
    "/srv/app/.vscode/mcp.json",
    "/home/ada/.claude.json",
    "/home/ada/.config/Claude/claude_desktop_config.json",
    "/home/ada/.cursor/mcp.json",
    "/home/ada/.gemini/settings.json",
    "/home/ada/.codex/config.toml",
    "/home/ada/.config/opencode/opencode.json",
    "/home/ada/.config/opencode/opencode.jsonc",
    "/home/ada/.opencode.json",
    "/home/ada/.codeium/windsurf/mcp_config.json",
    "/home/ada/.codeium/mcp_config.json",
    "/home/ada/.config/Code/User/settings.json",
    "/home/ada/.config/Code/User/mcp.json",
    "/home/ada/.config/Code - Insiders/User/settings.json",
    "/home/ada/.config/Code - Insiders/User/mcp.json",
    "/home/ada/.gemini/config/mcp_config.json",
    "/home/ada/.gemini/antigravity/mcp_config.json",
  ]);
});

Deno.test("toSources() has the files of programs with windows where macOS keeps them", () => {
  const paths = pathsOf({ ...LINUX, os: "darwin", home: "/Users/ada" });
  const data = "/Users/ada/Library/Application Support";
  for (
    const path of [
      `${data}/Claude/claude_desktop_config.json`,
      `${data}/Code/User/settings.json`,
      `${data}/Code/User/mcp.json`,
      "/Users/ada/.config/mcp/servers",
      "/Users/ada/.config/opencode/opencode.json",
    ]
  ) assert(paths.includes(path), path);
});

Deno.test("toSources() has the files of clients where Windows keeps them", () => {
  const windows = {
    ...{ os: "windows", cwd: "D:\\app", home: "C:\\Users\\Ada" },
    env: { APPDATA: "E:\\Roaming", LOCALAPPDATA: "E:\\Local" },
  };
  const paths = pathsOf(windows);
  const store = "Packages\\Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming";
  for (
    const path of [
      "D:\\app\\.vscode\\mcp.json",
      "C:\\Users\\Ada\\.claude.json",
      "C:\\Users\\Ada\\.codeium\\windsurf\\mcp_config.json",
      "E:\\Roaming\\Claude\\claude_desktop_config.json",
      `E:\\Local\\${store}\\Claude\\claude_desktop_config.json`,
      "E:\\Roaming\\Code\\User\\mcp.json",
    ]
  ) assert(paths.includes(path), path);
  assert(
    pathsOf({ ...windows, env: {} }).includes(
      "C:\\Users\\Ada\\AppData\\Roaming\\Code\\User\\mcp.json",
    ),
  );
});

Deno.test("toSources() goes where XDG_CONFIG_HOME, CODEX_HOME and CLAUDE_CONFIG_DIR say", () => {
  const paths = pathsOf({
    ...LINUX,
    env: {
      XDG_CONFIG_HOME: "/x",
      CODEX_HOME: "/c",
      CLAUDE_CONFIG_DIR: "/claude",
    },
  });
  for (
    const path of [
      ...["/x/mcp/servers", "/x/Code/User/mcp.json", "/c/config.toml"],
      ...["/claude/.claude.json", "/x/Claude/claude_desktop_config.json"],
    ]
  ) assert(paths.includes(path), path);
  const relative = pathsOf({ ...LINUX, env: { XDG_CONFIG_HOME: "x" } });
  assert(relative.includes("/home/ada/.config/mcp/servers"));
});

Deno.test("toSources() has the files of the folder alone for a user without a home", () => {
  assertEquals(pathsOf({ ...LINUX, home: undefined }), [
    ...["/srv/app/mcp-servers", "/srv/app/.mcp.json"],
    "/srv/app/.vscode/mcp.json",
  ]);
});

Deno.test("toSources() has only the files that are named unless they are discovered", () => {
  const named = { mcpConfig: ["/a.json", "/b"], discover: false };
  assertEquals(
    toSources(named, LINUX).map(({ path, isNamed }) => [path, isNamed]),
    [["/a.json", true], ["/b", true]],
  );
});

Deno.test("toSources() has a file that is named, too, once, first, and in its client's format", () => {
  const path = "/home/ada/.codex/config.toml";
  const all = toSources({ mcpConfig: [path, path], discover: true }, LINUX);
  const [first] = all;
  assertEquals([first?.path, first?.client, first?.isNamed], [
    ...[path, "Codex", true],
  ]);
  assertEquals(all.filter((one) => one.path === path).length, 1);
});

function pathsOf(place: Parameters<typeof knownSources>[0]): string[] {
  return toSources({ mcpConfig: [], discover: true }, place)
    .map(({ path }) => path);
}
