import type { Share } from "../../shares.ts";
import type {
  CallingStart,
  CodeModeStart,
  NamedServer,
} from "../../protocol/code_mode.ts";
import { isComponent, type ListedServer } from "../../protocol/downstream.ts";
import { head } from "../../results/cut.ts";
import type { CodeModeRun } from "./code_mode_run.ts";
import { quote, showNames, withAliases } from "./find_downstream.ts";
import type { ComponentParts } from "../components/component_parts.ts";
import type { Hub } from "./hub.ts";
import { SavedFunctions } from "./saved_functions.ts";
import type { Kept } from "../keeper.ts";
import { nearestNames } from "../../catalog/nearest.ts";

/** The parts of code mode. */
export interface CodeModeParts {
  hub: Hub;
  components?: ComponentParts;
  kept: Pick<Kept, "list" | "get">;
  /** Artifacts that are being saved. */
  drafts?: Share;
  /**
   * Time for the user to say whether a server may start whose entry is new, in
   * milliseconds; undefined if clients are not the user's own, as over HTTP.
   */
  startApprovalMs?: number | undefined;
}

/** The start of a run. */
export interface CodeModeBegun {
  /** A `CallingStart`, in code mode a `CodeModeStart`, as JSON text. */
  start: string;
  /** Names of the servers that it may call. */
  servers: string[];
}

/** Characters of a server's description. */
const LONGEST_DESCRIPTION = 500;

/** Begins the runs of code mode. */
export class CodeMode {
  #saved: SavedFunctions;

  constructor(private parts: CodeModeParts) {
    this.#saved = new SavedFunctions(parts.kept);
  }

  /**
   * The servers that a call names.
   *
   * @throws {RangeError} If a name is not that of a server; the message says which are.
   */
  async choose(names: readonly string[]): Promise<string[]> {
    // Most calls: to ask for the configured servers takes a part of a short run.
    if (names.length === 0) return [];
    const known = (await this.parts.hub.servers()).map(({ name }) => name);
    const unknown = names.find((name) => !known.includes(name));
    if (unknown !== undefined) {
      throw new RangeError(describeUnknown(unknown, known));
    }
    return [...new Set(names)];
  }

  /** Asks the user about servers of a run that may not start unasked, once of each. */
  async approveStarts(
    { servers, approve }: Pick<CodeModeRun, "servers" | "approve">,
    signal: AbortSignal,
  ): Promise<void> {
    const { hub, startApprovalMs } = this.parts;
    if (startApprovalMs === undefined) return;
    for (const name of servers) {
      const server = hub.maybeUnjudged(name);
      if (!server) continue;
      const question = { ...server, server: name };
      const late = AbortSignal.timeout(startApprovalMs);
      const wanted = AbortSignal.any([signal, late]);
      // Without an answer the server may not start; a run that is cancelled says it.
      const approval = await approve(question, wanted).catch(() => "unable");
      if (approval === "unable") continue;
      hub.judge(server, approval === "accepted");
      hub.warm(name);
    }
  }

  /**
   * Begins a run, and has its servers started meanwhile: those that every call may
   * use, too. Components start with their first call, as that takes no process of theirs.
   *
   * @param chosen What `choose()` gave; undefined outside of code mode.
   */
  async begin(
    owner: string,
    chosen: readonly string[] | undefined,
  ): Promise<CodeModeBegun> {
    const { hub } = this.parts;
    if (!chosen) {
      // Most runs call none: to wait for them takes a part of a short run, so that a
      // file that has changed shows in the next one.
      const asked = hub.servers();
      asked.catch(() => {});
      const components = toComponents(hub.known() ?? await asked);
      const start: CallingStart = { components };
      return {
        start: JSON.stringify(start),
        servers: components.map(({ name }) => name),
      };
    }
    for (const name of chosen) hub.warm(name);
    const [configured, saved] = await Promise.all([
      hub.servers(),
      this.#saved.of(owner),
    ]);
    const always = configured.filter((one) => one.always)
      .map(({ name }) => name).filter((name) => !chosen.includes(name));
    for (const name of always) hub.warm(name);
    const servers = [...chosen, ...always];
    const named = toNamed(configured);
    const components = toComponents(configured);
    const start: CodeModeStart = {
      servers: named.filter(({ name }) => servers.includes(name)),
      components,
      configured: named,
      saved,
    };
    const all = [...start.servers, ...components].map(({ name }) => name);
    return { start: JSON.stringify(start), servers: [...new Set(all)] };
  }
}

function toComponents(configured: readonly ListedServer[]): NamedServer[] {
  const names = configured.filter(isComponent)
    .map(({ name }) => name);
  return toNamed(configured).filter(({ name }) => names.includes(name));
}

function toNamed(configured: readonly ListedServer[]): NamedServer[] {
  return withAliases(configured).map(({ server, alias }) => ({
    name: server.name,
    alias,
    ...(server.description === undefined
      ? {}
      : { description: head(server.description, LONGEST_DESCRIPTION) }),
    ...(server.cwd === undefined ? {} : { cwd: server.cwd }),
  }));
}

function describeUnknown(name: string, known: readonly string[]): string {
  const wrong = `servers has ${quote(name)}, which is not`;
  if (known.length === 0) {
    return `${wrong} configured, as no MCP server is: leave servers out. The user configures them with --mcp-config.`;
  }
  const shown = showNames([
    ...new Set([...nearestNames(name, known), ...known]),
  ]);
  return `${wrong} a configured MCP server: there are ${shown}. discovered_servers() in Python lists all.`;
}
