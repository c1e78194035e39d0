import { toAliases } from "../../catalog/aliases.ts";
import { nearestNames } from "../../catalog/nearest_names.ts";
import type { CodeModeStart, NamedServer } from "../../protocol/code_mode.ts";
import type { ListedServer } from "../../protocol/downstream.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";
import { head } from "../../results/cut.ts";
import type { Hub } from "./hub.ts";
import { SavedFunctions } from "./saved_functions.ts";
import type { Kept } from "../keeper.ts";

/** What code mode stands on. */
export interface CodeModeParts {
  hub: Hub;
  kept: Pick<Kept, "list" | "get">;
}

/** The start of a run. */
export interface CodeModeBegun {
  /** A `CodeModeStart`, as JSON text. */
  start: string;
  /** Names of the servers that it may call. */
  servers: string[];
}

/** Characters of a server's description. */
const LONGEST_DESCRIPTION = 500;

/** Begins the runs of code mode. */
export class CodeMode {
  #saved: SavedFunctions;

  constructor(
    private parts: CodeModeParts,
    private settings: Pick<ServerSettings, "serversAlways">,
  ) {
    this.#saved = new SavedFunctions(parts.kept);
  }

  /**
   * The servers that a run may call: those that its call names, and those that
   * every call may use.
   *
   * @throws {RangeError} If a name is not that of a server; the message says which are.
   */
  async choose(names: readonly string[]): Promise<string[]> {
    const { serversAlways } = this.settings;
    // Most calls: to ask for the configured servers takes a part of a short run.
    if (names.length === 0 && serversAlways.length === 0) return [];
    const known = (await this.parts.hub.servers()).map(({ name }) => name);
    const unknown = names.find((name) => !known.includes(name));
    if (unknown !== undefined) {
      throw new RangeError(describeUnknown(unknown, known));
    }
    const always = serversAlways.filter((name) => known.includes(name));
    return [...new Set([...names, ...always])];
  }

  /**
   * Begins a run, and has its servers started meanwhile.
   *
   * @param servers What `choose()` gave.
   */
  async begin(
    owner: string,
    servers: readonly string[],
  ): Promise<CodeModeBegun> {
    const { hub } = this.parts;
    for (const name of servers) hub.warm(name);
    const [configured, saved] = await Promise.all([
      hub.servers(),
      this.#saved.of(owner),
    ]);
    const named = toNamed(configured);
    const start: CodeModeStart = {
      servers: named.filter(({ name }) => servers.includes(name)),
      configured: named,
      saved,
    };
    return {
      start: JSON.stringify(start),
      servers: start.servers.map(({ name }) => name),
    };
  }
}

function toNamed(configured: readonly ListedServer[]): NamedServer[] {
  const aliases = toAliases(configured.map(({ name }) => name));
  return configured.map(({ name, description, cwd }) => ({
    ...{ name, alias: aliases.get(name) ?? name },
    ...(description === undefined
      ? {}
      : { description: head(description, LONGEST_DESCRIPTION) }),
    ...(cwd === undefined ? {} : { cwd }),
  }));
}

/** Names that a message has. */
const MOST_NAMED = 10;

function describeUnknown(name: string, known: readonly string[]): string {
  const wrong = `servers has ${JSON.stringify(head(name, 100))}, which is not`;
  if (known.length === 0) {
    return `${wrong} configured, as no MCP server is: leave servers out. The user configures them with --mcp-config.`;
  }
  const shown = [...new Set([...nearestNames(name, known), ...known])]
    .slice(0, MOST_NAMED).map((one) => JSON.stringify(head(one, 100)))
    .join(", ");
  const more = known.length > MOST_NAMED
    ? ` and ${known.length - MOST_NAMED} more`
    : "";
  return `${wrong} a configured MCP server: there are ${shown}${more}. discovered_servers() in Python lists all.`;
}
