import { posix, win32 } from "node:path";
import { fields } from "../../../protocol/fields.ts";
import { readJson } from "./documents.ts";
import type { FilePlace, Format, FoundServer } from "./format.ts";
import { judgeEach } from "./judge.ts";
import { readUsual } from "./mcp_servers.ts";
import { fillNothing, fillShell } from "./variables.ts";

/** Claude Code: `.mcp.json` of a project, and `~/.claude.json` with its projects. */
export const claudeCode: Format = (text, place) => {
  const { mcpServers, projects } = readJson(text);
  const { path, cwd } = place;
  const read = readUsual(fillShell(place), place);
  const project = fields(findProject(fields(projects), place));
  const { disabledMcpServers: disabled } = project;
  return [
    ...judgeEach(project.mcpServers, `${path}, of ${cwd}`, read),
    ...judgeEach(mcpServers, path, read),
  ].map((found) => withoutDisabled(found, disabled));
};

/** Claude Desktop, which fills in no variables. */
export const claudeDesktop: Format = (text, place) => {
  const read = readUsual(fillNothing, place);
  return judgeEach(readJson(text).mcpServers, place.path, read);
};

/** The entry of the current folder; keys of Windows have slashes of either kind. */
function findProject(
  projects: Record<string, unknown>,
  { cwd, os }: FilePlace,
): unknown {
  const { normalize } = os === "windows" ? win32 : posix;
  const key = Object.keys(projects)
    .find((path) => normalize(path) === normalize(cwd));
  return key === undefined ? undefined : projects[key];
}

function withoutDisabled(found: FoundServer, disabled: unknown): FoundServer {
  if (!("entry" in found) || !Array.isArray(disabled)) return found;
  const { name, source } = found.entry;
  if (!disabled.includes(name)) return found;
  const reason = "Claude Code disables it in this folder";
  return { name, source, reason, remedy: "Enable it there." };
}
