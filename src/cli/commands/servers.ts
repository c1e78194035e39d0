import { EXIT, usageError, UserError } from "../../errors.ts";
import {
  type ConfigurationReport,
  openConfigurations,
} from "../../launcher/downstream/configurations.ts";
import type { System } from "../../launcher/downstream/system.ts";
import { log, print, printable } from "../../log.ts";
import type { ServerEntry } from "../../protocol/downstream.ts";
import type { Settings } from "../../settings.ts";
import type { ServersOrder } from "../arguments.ts";
import { didYouMean } from "../did_you_mean.ts";
import { openDownstreamTools } from "../downstream_tools.ts";
import { listServers, serversAsJson } from "../servers/list_servers.ts";
import { searchTools } from "../servers/search_tools.ts";
import { showStubs } from "../servers/show_stubs.ts";
import { testServers } from "../servers/test_servers.ts";

/** The parts of the command that a test can choose. */
export interface ServersParts {
  system?: System;
  open?: typeof openDownstreamTools;
  write?: (text: string) => void;
}

/**
 * Shows the downstream MCP servers that are configured, and their tools; 1 if
 * a server fails that is needed.
 *
 * @throws {UserError} If no server is configured, or none has the name.
 */
export async function servers(
  settings: Settings,
  order: ServersOrder,
  { system, open = openDownstreamTools, write = print }: ServersParts = {},
): Promise<number> {
  const { action, words, json } = order;
  // The list has them, too.
  const warn = action === "list" ? () => {} : log;
  const report = openConfigurations(settings, system, { warn }).report();
  const tell = (lines: string[]) =>
    write(lines.map((line) => `${printable(line)}\n`).join(""));
  switch (action) {
    case "list":
      if (json) write(`${JSON.stringify(serversAsJson(report), null, 2)}\n`);
      else tell(listServers(report));
      return EXIT.ok;
    case "test":
      return await testServers(find(words, report), open(settings), tell);
    case "search": {
      const query = words.join(" ");
      const all = find([], report);
      return await searchTools(query, all, { ...open(settings), tell });
    }
    case "docs": {
      const [name = "", tool] = words;
      const [entry] = find([name], report);
      if (!entry) throw new UserError(`Cannot find the server "${name}".`);
      return await showStubs(entry, tool, { ...open(settings), tell });
    }
  }
}

/** The servers of these names, all if there are none. */
function find(
  names: readonly string[],
  { servers, skipped }: ConfigurationReport,
): ServerEntry[] {
  const entries = servers.map(({ entry }) => entry);
  if (names.length === 0 && entries.length > 0) return entries;
  if (names.length === 0) {
    throw new UserError(
      "Cannot find an MCP server: name a file of them with --mcp-config, or " +
        "add --mcp-config discover. mcp-run-python servers list says why others are skipped.",
    );
  }
  return names.map((name) => {
    const entry = entries.find((one) => one.name === name);
    if (entry) return entry;
    const skip = skipped.find((one) => one.name === name);
    throw usageError(
      skip
        ? `Cannot use the server "${name}" as ${skip.reason}. ${
          skip.remedy ?? ""
        }`.trim()
        : `Cannot use the server "${name}" as no file names it.` +
          didYouMean(name, entries.map(({ name }) => name)),
    );
  });
}
