import { posix, win32 } from "node:path";
import { fields } from "../../../protocol/fields.ts";
import { readJson } from "./documents.ts";
import type { FilePlace, Format, FoundServer } from "./format.ts";
import { judgeEach, readContents } from "./judge.ts";
import { readUsual } from "./mcp_servers.ts";
import { fillNothing, fillShell } from "./variables.ts";

/** Claude Code: `.mcp.json` of a project, and `~/.claude.json` with its projects. */
export const claudeCode: Format = (text, place) =>
  readContents(place, (source) => {
    const { mcpServers, projects } = readJson(text);
    const read = readUsual(fillShell(place), place);
    const project = fields(findProject(fields(projects), place));
    const { disabledMcpServers } = project;
    const disabled = Array.isArray(disabledMcpServers)
      ? disabledMcpServers
      : [];
    return [
      ...judgeEach(project.mcpServers, `${source}, of ${place.cwd}`, read),
      ...judgeEach(mcpServers, source, read),
    ].map((found) => withoutDisabled(found, disabled));
  });

/** Claude Desktop, which fills in no variables. */
export const claudeDesktop: Format = (text, place) =>
  readContents(place, (source) =>
    judgeEach(
      readJson(text).mcpServers,
      source,
      readUsual(fillNothing(), place),
    ));

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

function withoutDisabled(
  found: FoundServer,
  disabled: readonly unknown[],
): FoundServer {
  if (!("entry" in found) || !disabled.includes(found.entry.name)) return found;
  const { name, source } = found.entry;
  const reason = "Claude Code disables it in this folder";
  return { name, source, skipped: { reason, remedy: "Enable it there." } };
}
