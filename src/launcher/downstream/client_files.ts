import { posix, win32 } from "node:path";
import type { Settings } from "../../settings.ts";
import { claudeCode, claudeDesktop } from "./client_formats/claude.ts";
import { codex } from "./client_formats/codex.ts";
import type { Format } from "./client_formats/format.ts";
import type { Source } from "./source.ts";
import { gemini } from "./client_formats/gemini.ts";
import { opencode } from "./client_formats/opencode.ts";
import { own } from "./client_formats/own.ts";
import { maybeComponentSource } from "../components/read_component.ts";
import type { System } from "./system.ts";
import {
  antigravity,
  cursor,
  vsCode,
  windsurf,
} from "./client_formats/mcp_servers.ts";

type Place = Pick<System, "os" | "cwd" | "home" | "env">;

type SourceSettings =
  & Pick<Settings, "mcpConfig" | "discover">
  & Partial<Pick<Settings, "components" | "policy">>;

/** The sources that count, in their order: the first that names a server wins. */
export function toSources(
  { mcpConfig, discover = false, components = [], policy }: SourceSettings,
  place: Place,
): Source[] {
  const known = knownSources(place);
  const named = mcpConfig.map((path): Source => ({
    // The path of a client's file tells its format.
    ...known.find((one) => one.path === path) ?? { ...OWN, path },
    isNamed: true,
  }));
  const byOption = maybeComponentSource(
    // The policy of Python is that of each component without its own.
    components.map((one) => ({
      ...policy !== undefined && { policy },
      ...one,
    })),
  ) ?? [];
  const all = [byOption, named, discover ? known : []].flat();
  // A path that is named, too, counts where it is named.
  return [...Map.groupBy(all, ({ path }) => path).values()]
    .flatMap(([first]) => first ?? []);
}

const OWN = { client: "mcp-run-python", format: own };

/** The places of all clients on a system, in their order. */
export function knownSources(place: Place): Source[] {
  const { os, cwd, home, env } = place;
  const rules = os === "windows" ? win32 : posix;
  const at = (folder: string | undefined, ...names: string[]) =>
    folder === undefined ? [] : [rules.join(folder, ...names)];
  const config = configFolder(place);
  const data = dataFolder(place);
  const store = os === "windows" ? storeFolder(place) : undefined;
  const claudeHome = env.CLAUDE_CONFIG_DIR || home;
  const codexFile = env.CODEX_HOME
    ? at(env.CODEX_HOME, "config.toml")
    : at(home, ".codex", "config.toml");
  const editors = ["Code", "Code - Insiders"].flatMap((name) => [
    ...at(data, name, "User", "settings.json"),
    ...at(data, name, "User", "mcp.json"),
  ]);
  const rows: [string, Format, ...string[][]][] = [
    [OWN.client, own, at(home, "MCPs"), at(config, "mcp", "servers")],
    [OWN.client, own, at(cwd, "mcp-servers")],
    ["Claude Code", claudeCode, at(cwd, ".mcp.json")],
    ["VS Code", vsCode, at(cwd, ".vscode", "mcp.json")],
    ["Claude Code", claudeCode, at(claudeHome, ".claude.json")],
    ["Claude Desktop", claudeDesktop, at(data, "Claude", DESKTOP)],
    ["Claude Desktop", claudeDesktop, at(store, "Claude", DESKTOP)],
    ["Cursor", cursor, at(home, ".cursor", "mcp.json")],
    ["Gemini CLI", gemini, at(home, ".gemini", "settings.json")],
    ["Codex", codex, codexFile],
    ["opencode", opencode, at(config, "opencode", "opencode.json")],
    ["opencode", opencode, at(config, "opencode", "opencode.jsonc")],
    ["opencode", opencode, at(home, ".opencode.json")],
    ["Windsurf", windsurf, at(home, ".codeium", "windsurf", MCP_CONFIG)],
    ["Windsurf", windsurf, at(home, ".codeium", MCP_CONFIG)],
    ["VS Code", vsCode, editors],
    ["Antigravity", antigravity, at(home, ".gemini", "config", MCP_CONFIG)],
    [
      "Antigravity",
      antigravity,
      at(home, ".gemini", "antigravity", MCP_CONFIG),
    ],
  ];
  return rows.flatMap(([client, format, ...paths]) =>
    paths.flat().map((path) => ({
      client,
      format,
      path,
      isNamed: false,
      // The editors and command lines of these start servers in the project.
      ...(format === own ? {} : { folder: cwd }),
    }))
  );
}

const MCP_CONFIG = "mcp_config.json";
const DESKTOP = "claude_desktop_config.json";

/** `~/.config` on every system, as command lines have it. */
function configFolder({ os, home, env }: Place): string | undefined {
  const { isAbsolute, join } = os === "windows" ? win32 : posix;
  const xdg = env.XDG_CONFIG_HOME ?? "";
  // The XDG specification has a relative path ignored.
  if (isAbsolute(xdg)) return xdg;
  return home === undefined ? undefined : join(home, ".config");
}

/** The system's folder for the settings of programs with windows. */
function dataFolder(place: Place): string | undefined {
  const { os, home, env } = place;
  if (os === "windows") {
    return env.APPDATA || home && win32.join(home, "AppData", "Roaming");
  }
  if (os === "darwin") {
    return home && posix.join(home, "Library", "Application Support");
  }
  return configFolder(place);
}

/** Where Windows keeps the settings of Claude Desktop of its store. */
function storeFolder({ home, env }: Place): string | undefined {
  const local = env.LOCALAPPDATA ||
    home && win32.join(home, "AppData", "Local");
  const app = "Claude_pzs8sxrjxfjjc";
  return local && win32.join(local, "Packages", app, "LocalCache", "Roaming");
}
