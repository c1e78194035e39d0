import type { Tool } from "../../../deps/mcp_server.ts";
import { messageOf } from "../../errors.ts";
import { sha256 } from "../../disk.ts";
import { isDeeper, isObject } from "../../protocol/fields.ts";
import {
  type DownstreamTool,
  isComponent,
  type ListedServer,
} from "../../protocol/downstream.ts";
import type { Log } from "../../protocol/log_lines.ts";
import type { Json } from "../../protocol/run_result.ts";
import type { Hub } from "../code_mode/hub.ts";
import type { MayCall } from "../code_mode/find_downstream.ts";
import type { Contract } from "../contracts/contract.ts";
import { MOST_DEPTH } from "../host_calls/tool_call.ts";

/** Time for a component to tell its tools, the first time: it is translated then. */
const FIRST_LIST_MS = 60_000;

/** The functions of components, as tools of this server. */
export class ComponentTools {
  #contracts: Contract[] = [];
  #listed: Promise<void> | undefined;
  /** The lists that the contracts were made of. */
  #lists: (readonly DownstreamTool[])[] = [];
  #failed = new Set<string>();
  /** Told when there are other tools than in the list before. */
  onChanged: () => void = () => {};

  constructor(
    private readonly hub: Hub,
    private readonly mayCall: MayCall,
    private readonly log: Pick<Log, "write">,
  ) {}

  /** Those that are known by now. */
  get contracts(): readonly Contract[] {
    return this.#contracts;
  }

  /**
   * Resolves once each component has told its tools, or failed: one that fails hides no
   * other. A component whose tools are known from an earlier start does not start.
   */
  async ready(): Promise<void> {
    await (this.#listed ??= this.#list().finally(() => {
      this.#listed = undefined;
    }));
  }

  /** Lists them anew if components have other tools by now; never fails. */
  refresh(): void {
    const now = (this.hub.known() ?? []).filter(isComponent)
      .map(({ name }) => this.hub.knownTools(name) ?? NONE);
    if (!this.#isSame(now)) this.ready().catch(() => {});
  }

  #isSame(lists: readonly (readonly DownstreamTool[])[]): boolean {
    return lists.length === this.#lists.length &&
      lists.every((tools, at) => this.#lists[at] === tools);
  }

  async #list(): Promise<void> {
    const servers = await this.hub.servers();
    const components = servers.filter(isComponent);
    const lists = await Promise.all(
      components.map(({ name }) => this.#toolsOf(name)),
    );
    if (this.#isSame(lists)) return;
    const isFirst = this.#lists.length === 0;
    this.#lists = lists;
    this.#contracts = components.flatMap((component, at) =>
      (lists[at] ?? [])
        .filter(({ name }) => this.mayCall(component.name, name))
        .map((tool) => toContract(component, tool))
    );
    if (!isFirst) this.onChanged();
  }

  async #toolsOf(name: string): Promise<readonly DownstreamTool[]> {
    const known = this.hub.knownTools(name);
    if (known) return known;
    try {
      const late = AbortSignal.timeout(FIRST_LIST_MS);
      const tools = await this.hub.tools(name, late);
      this.#failed.delete(name);
      return tools;
    } catch (error) {
      const isNew = !this.#failed.has(name);
      this.#failed.add(name);
      const failure = { component: name, error: messageOf(error) };
      if (isNew) this.log.write("warning", "component", failure);
      return NONE;
    }
  }
}

/** The same object, so that a component that goes on failing changes nothing. */
const NONE: readonly DownstreamTool[] = [];

/** Characters of a tool's name that all clients take. */
const LONGEST_NAME = 64;
const HASH = 8;

/** The name of a component's tool among the tools of this server. */
export function toToolName(component: string, tool: string): string {
  const name = `${component}__${tool}`;
  const plain = name.replaceAll(/[^\w-]/g, "_");
  if (plain === name && name.length <= LONGEST_NAME) return name;
  const start = plain.slice(0, LONGEST_NAME - HASH - 1);
  return `${start}_${sha256(name).slice(0, HASH)}`;
}

/** Tells clients of a tool's component, and of what that may use. */
const COMPONENT = "mcp-run-python/component";

function toContract(
  { name: server, grants }: ListedServer,
  tool: DownstreamTool,
): Contract {
  const name = toToolName(server, tool.name);
  const described: Tool = {
    ...tool,
    name,
    inputSchema: { ...tool.inputSchema, type: "object" },
    outputSchema: tool.outputSchema && { ...tool.outputSchema, type: "object" },
    _meta: { [COMPONENT]: { name: server, grants } },
  };
  return {
    name,
    tool: () => described,
    async call(given, _run, callTool) {
      const args = given ?? {};
      if (!isObject(args) || isDeeper(args, MOST_DEPTH)) {
        const text =
          `The arguments must be an object, at most ${MOST_DEPTH} levels deep`;
        return { content: [{ type: "text", text }], isError: true };
      }
      if (!callTool) throw new TypeError("There are no components to call");
      const read = args as { [key: string]: Json };
      return await callTool({ server, tool: tool.name, arguments: read });
    },
  };
}
