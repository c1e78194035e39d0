import { EXIT, messageOf, usageError, UserError } from "../../errors.ts";
import { toStub } from "../../catalog/describe_tool.ts";
import { toAliases } from "../../catalog/identifiers.ts";
import { ToolIndex } from "../../catalog/tool_index.ts";
import {
  askTools,
  type ServerTools,
} from "../../launcher/downstream/ask_server.ts";
import {
  type ConfigurationReport,
  openConfigurations,
} from "../../launcher/downstream/configurations.ts";
import { findComponentPlace } from "../../launcher/components/start_component.ts";
import type { System } from "../../launcher/downstream/system.ts";
import { transportOf } from "../../launcher/downstream/transports/transport.ts";
import { log, print, printable } from "../../log.ts";
import type { ServerEntry } from "../../protocol/downstream.ts";
import { masksOf } from "../../protocol/masks.ts";
import { Semaphore } from "../../semaphore.ts";
import type { Settings } from "../../settings.ts";
import type { ServersOrder } from "../arguments.ts";
import { didYouMean } from "../../did_you_mean.ts";
import { toCount, toSection, toTable } from "../sizes.ts";

/**
 * Starts or reaches a server, and ends it.
 *
 * @throws {Error} If it fails; the message has the end of the server's stderr.
 */
type ListTools = (entry: ServerEntry) => Promise<ServerTools>;

/** The parts of the command that a test can choose. */
interface ServersParts {
  system?: System;
  listTools?: ListTools;
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
  { system, listTools = openTools(settings), write = print }: ServersParts = {},
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
      return await testServers(find(words, report), listTools, tell);
    case "search": {
      const asked = await askEach(find([], report), listTools);
      return await searchTools(words.join(" "), asked, tell);
    }
    case "docs": {
      const [name = "", tool] = words;
      const [asked] = await askEach(find([name], report), listTools);
      if (asked) tell(toStubs(asked, tool));
      return EXIT.ok;
    }
  }
}

function openTools(settings: Settings): ListTools {
  const { startTimeoutSeconds, maxHostCallSize: maxResult } = settings;
  const limits = { startMs: startTimeoutSeconds * 1000, maxResult };
  return async (entry) =>
    askTools(entry, limits, await findComponentPlace(settings));
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
      "Cannot find an MCP server: name a file of them with --mcp-config, or add --mcp-config discover. mcp-run-python servers list says why others are skipped.",
    );
  }
  return names.map((name) => {
    const entry = entries.find((one) => one.name === name);
    if (entry) return entry;
    const skip = skipped.find((one) => one.name === name);
    const why = skip
      ? `${skip.reason}. ${skip.remedy ?? ""}`.trimEnd()
      : `no file names it.${didYouMean(name, entries.map(({ name }) => name))}`;
    throw usageError(`Cannot use the server "${name}" as ${why}`);
  });
}

/** Lines about each server, each entry that is skipped, and each file at fault. */
function listServers(
  { servers, skipped, faults, undiscovered }: ConfigurationReport,
): string[] {
  const table = toTable([
    ["name", "transport", "starts or reaches", "client", "file"],
    ...servers.map(({ entry, client }) => [
      entry.name,
      entry.transport,
      transportOf(entry).shown(),
      client,
      entry.source,
    ]),
  ]);
  const unreadable = faults.map(({ path, reason }) => `${path}: ${reason}`);
  return [
    ...toSection("Servers", servers.length > 0 ? table : [NONE]),
    ...toSection(
      "Notes",
      servers.flatMap(({ entry: { name }, notes }) =>
        notes.map((note) => `${name}: ${note}`)
      ),
    ),
    ...toSection(
      "Skipped",
      skipped.map(({ name, client, source, reason, remedy }) =>
        `${name || '""'} (${client}, ${source}): ${reason}.${
          remedy === undefined ? "" : ` ${remedy}`
        }`
      ),
    ),
    ...toSection("Files that cannot be read", unreadable),
    ...toSection("Read with --mcp-config discover only", undiscovered),
  ].slice(1);
}

const NONE = "none: name a file of them with --mcp-config, or discover them";

/** The same for programs: names of variables and headers, without their values. */
function serversAsJson(
  { servers, ...rest }: ConfigurationReport,
): Record<string, unknown> {
  return {
    servers: servers.map(({ entry, listed, client, notes }) => {
      const { shown, secrets } = transportOf(entry);
      const names = { [secrets.kind]: Object.keys(secrets.values) };
      return { ...listed, client, target: shown(), notes, ...names };
    }),
    ...rest,
  };
}

/** Starts each server, and tells how that went; 1 if one fails. */
async function testServers(
  entries: readonly ServerEntry[],
  listTools: ListTools,
  tell: (lines: string[]) => void,
): Promise<number> {
  const onAsked = (asked: Asked) => tell(toLines(asked));
  const all = await askEach(entries, listTools, onAsked);
  const failed = all.filter((asked) => "failure" in asked).length;
  const count = toCount(all.length, "server");
  tell([failed === 0 ? `${count} answered` : `${failed} of ${count} failed`]);
  return failed === 0 ? EXIT.ok : EXIT.failure;
}

function toLines(asked: Asked): string[] {
  const { entry, ms } = asked;
  const seconds = `${(ms / 1000).toFixed(1)} s`;
  if ("failure" in asked) {
    const [reason = "", ...rest] = asked.failure.split("\n");
    return [
      `${entry.name}: failed after ${seconds}: ${reason}`,
      ...rest.map((line) => `  ${line}`),
    ];
  }
  const { server: { name, version }, tools } = asked.told;
  const said = [name, version].filter((text) => text !== "").join(" ") ||
    "without a name";
  const count = toCount(tools.length, "tool");
  return [`${entry.name}: ${masksOf(entry)(said)}, ${count}, ${seconds}`];
}

/** Tools that a search shows. */
const MOST_SHOWN = 20;
const WIDTH = 100;

/** Ranks the tools of all servers that answer; 1 if none does. */
async function searchTools(
  query: string,
  asked: readonly Asked[],
  tell: (lines: string[]) => void,
): Promise<number> {
  const known = asked.flatMap((one) => {
    if ("told" in one) return [{ name: one.entry.name, ...one.told }];
    const [reason] = one.failure.split("\n");
    log(`warning: ${one.entry.name} is left out: ${reason}`);
    return [];
  });
  if (known.length === 0) return EXIT.failure;
  const limit = MOST_SHOWN;
  const found = await new ToolIndex().search(known, query, { limit });
  const rows = found.map(({ server, tool: { name, title, description } }) => [
    `${server}.${name}`,
    (description ?? title ?? "").trim().split("\n")[0] ?? "",
  ]);
  const none = `no tool has to do with "${query}"`;
  tell(rows.length === 0 ? [none] : toTable(rows, WIDTH));
  return EXIT.ok;
}

/**
 * Python stubs of a server's tools, or of one tool.
 *
 * @throws {UserError} If the server failed, or has no tool of this name.
 */
function toStubs(asked: Asked, toolName: string | undefined): string[] {
  const server = asked.entry.name;
  if ("failure" in asked) {
    throw new UserError(`Cannot ask ${server} for its tools: ${asked.failure}`);
  }
  const { tools } = asked.told;
  const names = tools.map(({ name }) => name);
  if (toolName !== undefined && !names.includes(toolName)) {
    const hint = didYouMean(toolName, names) || ` It has ${names.join(", ")}.`;
    throw usageError(
      `Cannot find the tool "${toolName}" of ${server}.${hint}`,
    );
  }
  const aliases = toAliases(names);
  return tools.filter(({ name }) => name === (toolName ?? name))
    .map((one) => toStub(one, aliases.get(one.name) ?? one.name))
    .join("\n\n").trimEnd().split("\n");
}

/** The tools of a server, or the reason why it has not told them. */
type Asked =
  & { entry: ServerEntry; ms: number }
  & ({ told: ServerTools } | { failure: string });

/** Servers that are started at a time. */
const MOST_STARTS = 4;

/** Asks servers for their tools; one that fails stops no other. */
async function askEach(
  entries: readonly ServerEntry[],
  listTools: ListTools,
  onAsked: (asked: Asked) => void = () => {},
): Promise<Asked[]> {
  const places = new Semaphore(MOST_STARTS);
  return await Promise.all(entries.map(async (entry) => {
    using _place = await places.take();
    const started = performance.now();
    const outcome = await listTools(entry).then(
      (told) => ({ told }),
      (error) => ({ failure: masksOf(entry)(messageOf(error)) }),
    );
    const asked = { entry, ms: performance.now() - started, ...outcome };
    onAsked(asked);
    return asked;
  }));
}
