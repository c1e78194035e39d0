import { CODE_MODE_NAMES } from "../../protocol/code_mode.ts";
import type {
  DownstreamTool,
  ListedServer,
} from "../../protocol/downstream.ts";
import { head } from "../../results/cut.ts";
import { type CallingRun, HostCallError } from "../host_calls/host_call.ts";
import type { CodeModeRun } from "./code_mode_run.ts";
import { DownstreamError, type Hub } from "./hub.ts";
import { nearestNames } from "../../catalog/nearest.ts";
import { toAliases } from "../../catalog/identifiers.ts";

/** Names that a message shows. */
const MOST_SHOWN = 10;

/** Whether the patterns of the user let a tool be called, and be seen. */
export type MayCall = (server: string, tool: string) => boolean;

/** A configured server, and its name in Python. */
export interface NamedServer {
  server: ListedServer;
  alias: string;
}

/** A tool, and its name in Python. */
export interface NamedTool {
  tool: DownstreamTool;
  alias: string;
}

/** @throws {HostCallError} If it is not a run of code mode. */
export function codeModeOf({ codeMode }: CallingRun): CodeModeRun {
  if (codeMode) return codeMode;
  throw new HostCallError(
    "PermissionError",
    "Cannot use other MCP servers: this run is not one of run_python.",
  );
}

/** All configured servers. */
export async function nameServers(hub: Hub): Promise<NamedServer[]> {
  return withAliases(await hub.servers());
}

/** With their names in Python; an alias depends on all names before it. */
export function withAliases(servers: readonly ListedServer[]): NamedServer[] {
  const names = servers.map(({ name }) => name);
  const aliases = toAliases(names, TAKEN);
  return servers.map((server) => ({
    server,
    alias: aliases.get(server.name) ?? server.name,
  }));
}

/**
 * Finds a configured server by its name, or else by its alias.
 *
 * @throws {HostCallError} If there is none; it names the nearest.
 */
export async function findServer(
  hub: Hub,
  given: string,
): Promise<NamedServer> {
  const all = await nameServers(hub);
  const found = all.find(({ server }) => server.name === given) ??
    all.find(({ alias }) => alias === given);
  if (found) return found;
  const names = all.map(({ server }) => server.name);
  throw new HostCallError(
    "ValueError",
    `There is no server ${quote(given)}. ${suggest(given, names)}`,
  );
}

/** `mcp_servers` has all of them. */
const TAKEN = CODE_MODE_NAMES.filter((name) => name.startsWith("mcp_"))
  .map((name) => name.slice("mcp_".length));

/** The tools of a server that may be seen; an alias depends on all tools. */
export function nameTools(
  server: string,
  tools: readonly DownstreamTool[],
  mayCall: MayCall,
): NamedTool[] {
  const aliases = aliasesOf(tools);
  return tools.filter(({ name }) => mayCall(server, name)).map((tool) => ({
    tool,
    alias: aliases.get(tool.name) ?? tool.name,
  }));
}

/**
 * Finds a tool by its name, or else by its alias.
 *
 * @throws {HostCallError} If there is none; it names the nearest.
 */
export function findTool(
  server: string,
  tools: readonly NamedTool[],
  given: string,
): NamedTool {
  const found = tools.find(({ tool }) => tool.name === given) ??
    tools.find(({ alias }) => alias === given);
  if (found) return found;
  const names = tools.map(({ tool }) => tool.name);
  throw new HostCallError(
    "ValueError",
    `Server ${quote(server)} has no tool ${quote(given)}. ${
      suggest(given, names)
    }`,
  );
}

/**
 * Asks a server for its tools.
 *
 * @throws {HostCallError} If it does not answer.
 */
export async function askTools(
  hub: Hub,
  name: string,
  signal: AbortSignal,
): Promise<readonly DownstreamTool[]> {
  try {
    return await hub.tools(name, signal);
  } catch (error) {
    if (!(error instanceof DownstreamError)) throw error;
    const kind = error.kind === "timeout" ? "TimeoutError" : "RuntimeError";
    throw new HostCallError(kind, error.message);
  }
}

/** The remedy for a server that a run has not loaded. */
export function loadRemedy(run: CodeModeRun, name: string): string {
  const servers = [...run.servers.slice(0, MOST_SHOWN), name].map(quote);
  return `Call run_python with servers=[${servers.join(", ")}].`;
}

/** A name of the guest's, or of a server's, in a message. */
export function quote(name: string): string {
  return JSON.stringify(head(name, LONGEST_NAME));
}

/** Characters of a name. */
const LONGEST_NAME = 256;

/** The first of some names. */
export function showNames(names: readonly string[]): string {
  const shown = names.slice(0, MOST_SHOWN).map(quote).join(", ");
  const more = names.length - MOST_SHOWN;
  return more > 0 ? `${shown}, and ${more} more` : shown;
}

/** A question for the names that a wrong one may have meant; empty if none is near. */
export function maybeMeant(given: string, names: readonly string[]): string {
  const near = nearestNames(given, names).map(quote).join(" or ");
  return near && `Did you mean ${near}?`;
}

export function suggest(given: string, names: readonly string[]): string {
  if (names.length === 0) return "There are none.";
  return maybeMeant(given, names) || `There are ${showNames(names)}.`;
}

const ALIASES = new WeakMap<readonly DownstreamTool[], Map<string, string>>();

function aliasesOf(tools: readonly DownstreamTool[]): Map<string, string> {
  const known = ALIASES.get(tools);
  if (known) return known;
  const aliases = toAliases(tools.map(({ name }) => name));
  ALIASES.set(tools, aliases);
  return aliases;
}
