import { toAliases } from "../../catalog/aliases.ts";
import { log } from "../../log.ts";
import { ENCODED_GLOBALS } from "../../protocol/bounds.ts";
import type {
  CodeModeStart,
  NamedServer,
  SavedFunction,
} from "../../protocol/code_mode.ts";
import type { ListedServer } from "../../protocol/downstream.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";
import { head } from "../../results/cut.ts";
import type { Hub } from "./hub.ts";
import type { Kept } from "./kept.ts";
import { SavedFunctions } from "./saved_functions.ts";

/** What code mode stands on. */
export interface CodeModeParts {
  hub: Hub;
  kept: Kept;
}

/** A run of code mode that can start. */
export interface CodeModeBegun {
  /** A `CodeModeStart`, as JSON text. */
  start: string;
  /** Names of the servers that it may call. */
  servers: string[];
}

/**
 * Characters of the functions of a run. As JSON in JSON a character takes seven
 * bytes at most; and a run of code mode has no other variables.
 */
const MOST_SOURCE = ENCODED_GLOBALS / 8;
/** Characters of a server's description. */
const LONGEST_DESCRIPTION = 500;

/** Begins the runs of code mode. */
export class CodeMode {
  #saved: SavedFunctions;

  constructor(
    private parts: CodeModeParts,
    private settings: Pick<ServerSettings, "serversAlways">,
  ) {
    this.#saved = new SavedFunctions(parts.kept, warn);
  }

  /**
   * The servers that a run may call: those that its call names, and those that
   * every call may use.
   *
   * @throws {RangeError} If a name is not that of a server; the message says which are.
   */
  async choose(names: readonly string[]): Promise<string[]> {
    const known = (await this.parts.hub.servers()).map(({ name }) => name);
    const unknown = names.find((name) => !known.includes(name));
    if (unknown !== undefined) {
      throw new RangeError(describeUnknown(unknown, known));
    }
    const always = this.settings.serversAlways
      .filter((name) => known.includes(name));
    return [...new Set([...names, ...always])];
  }

  /** Begins a run of an owner, and has its servers started meanwhile. */
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
      saved: fitting(saved),
    };
    return {
      start: JSON.stringify(start),
      servers: start.servers.map(({ name }) => name),
    };
  }
}

/** The functions that fit a run; the rest is logged. */
function fitting(saved: readonly SavedFunction[]): SavedFunction[] {
  let room = MOST_SOURCE;
  const kept = saved.filter(({ name, source }) =>
    (room -= name.length + source.length) >= 0
  );
  if (kept.length < saved.length) {
    warn(
      `a run has ${kept.length} of ${saved.length} saved functions, as all may have ${MOST_SOURCE} characters`,
    );
  }
  return kept;
}

function warn(sentence: string): void {
  log(`mcp-run-python: ${sentence}`);
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
  const near = byLikeness(name, known).slice(0, MOST_NAMED)
    .map((one) => JSON.stringify(head(one, 100))).join(", ");
  const more = known.length > MOST_NAMED
    ? ` and ${known.length - MOST_NAMED} more`
    : "";
  return `${wrong} a configured MCP server: there are ${near}${more}. discovered_servers() in Python lists all.`;
}

/** Names in the order of the pairs of letters that they share with a word. */
function byLikeness(word: string, names: readonly string[]): string[] {
  const wanted = pairsOf(word);
  const likeness = (name: string) => {
    const pairs = pairsOf(name);
    return pairs.intersection(wanted).size / pairs.union(wanted).size;
  };
  return [...names].sort((a, b) => likeness(b) - likeness(a));
}

function pairsOf(name: string): Set<string> {
  const letters = ` ${head(name, 100).toLowerCase()} `;
  return new Set(
    Array.from(letters, (_, at) => letters.slice(at, at + 2)),
  );
}
