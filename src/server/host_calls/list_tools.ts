import {
  type ToolInfo,
  toSummary,
  toToolInfo,
} from "../../catalog/describe_tool.ts";
import { type DownstreamTool, isComponent } from "../../protocol/downstream.ts";
import type { Json } from "../../protocol/run_result.ts";
import {
  askTools,
  codeModeOf,
  findServer,
  loadRemedy,
  type MayCall,
  type NamedTool,
  nameTools,
  quote,
} from "../code_mode/find_downstream.ts";
import type { Hub } from "../code_mode/hub.ts";
import { type HostCall, hostCall, HostCallError } from "./host_call.ts";
import { parseListTools } from "./tool_docs.ts";

/**
 * `list_tools(server)`, from which Python makes functions, too. The list that an
 * earlier run of the session has heard is not told again.
 */
export function openListTools(hub: Hub, mayCall: MayCall): HostCall {
  return hostCall({
    name: "mcp_list_tools",
    parse: parseListTools,
    async answer(args, { run, signal }): Promise<Json> {
      const codeMode = codeModeOf(run);
      const isLoaded = (name: string) => codeMode.servers.includes(name);
      // Python has names; the configured servers were asked for as the run began.
      const name = isLoaded(args.server)
        ? args.server
        : (await findServer(hub, args.server)).server.name;
      if (!isLoaded(name)) {
        throw new HostCallError(
          "PermissionError",
          `Cannot list the tools of server ${
            quote(name)
          }: this run has not loaded it. ${loadRemedy(codeMode, name)}`,
        );
      }
      const tools = await askTools(hub, name, signal);
      const id = idOf(tools);
      const listed = hub.known()?.find((one) => one.name === name);
      const owner = listed && isComponent(listed) ? "component" : "server";
      return args.known === id
        ? { id }
        : { id, tools: toInfos(nameTools(name, tools, mayCall), owner) };
    },
  });
}

type Owner = Parameters<typeof toToolInfo>[2];

/** A list that has not changed is the same object. */
const IDS = new WeakMap<readonly DownstreamTool[], string>();

function idOf(tools: readonly DownstreamTool[]): string {
  const id = IDS.get(tools) ?? crypto.randomUUID();
  IDS.set(tools, id);
  return id;
}

/** Characters of the tools in full: an answer may have 1 MiB. */
const MOST_IN_FULL = 300_000;

/** Of a very long list the last tools have no schemas and no long texts. */
function toInfos(tools: readonly NamedTool[], owner: Owner): ToolInfo[] {
  let left = MOST_IN_FULL;
  return tools.map((tool) => {
    const { info, size } = toInfo(tool, owner);
    left -= size;
    return left > 0 ? info : toLightInfo(info);
  });
}

function toLightInfo(
  { name, alias, annotations, parameters, returns, ...info }: ToolInfo,
): ToolInfo {
  const description = toSummary(info.description ?? "");
  return {
    name,
    alias,
    ...(description === "" ? {} : { description }),
    input_schema: { $comment: LEFT_OUT },
    ...(annotations ? { annotations } : {}),
    // Python takes the description in its place.
    doc: "",
    parameters: parameters.map(({ description: _, ...rest }) => rest),
    returns,
  };
}

const LEFT_OUT =
  "Left out: the list of this server is too long. query_tool_docs() has it.";

interface SizedInfo {
  info: ToolInfo;
  /** In characters of JSON. */
  size: number;
}

/** A tool is read once, though each run asks for it. */
const INFOS = new WeakMap<DownstreamTool, SizedInfo>();

function toInfo({ tool, alias }: NamedTool, owner: Owner): SizedInfo {
  const known = INFOS.get(tool);
  if (known?.info.alias === alias) return known;
  const info = toToolInfo(tool, alias, owner);
  const sized = { info, size: JSON.stringify(info).length };
  INFOS.set(tool, sized);
  return sized;
}
