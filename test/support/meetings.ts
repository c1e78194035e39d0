import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npmServers, pypiServers, writeServers } from "./downstream_servers.ts";

/** The servers of docs/code_mode.md, as options of a start. */
export interface Meetings {
  options: string[];
  /** Path of the audit. */
  audit: string;
}

/**
 * Writes the table of docs/code_mode.md and the configuration of its servers into
 * a folder.
 *
 * @returns The reason, if the servers cannot be had.
 */
export async function writeMeetings(
  folder: string,
): Promise<Meetings | { reason: string }> {
  const npm = await npmServers(folder);
  const pypi = await pypiServers(join(folder, "repository"));
  if ("reason" in npm) return npm;
  if ("reason" in pypi) return pypi;
  const { filesystem, memory } = npm.servers;
  const { time } = pypi.servers;
  if (!filesystem || !memory || !time) return { reason: "a server is missing" };
  const table = new URL("../../docs/code_mode/meetings.csv", import.meta.url);
  await Deno.copyFile(fileURLToPath(table), join(folder, "meetings.csv"));
  const config = await writeServers(folder, {
    filesystem: { ...filesystem, cwd: folder },
    memory,
    time,
  });
  const audit = join(folder, "audit.jsonl");
  return {
    options: [
      ...["--mcp-config", config, "--audit", audit],
      ...["--state-dir", join(folder, "state")],
    ],
    audit,
  };
}
