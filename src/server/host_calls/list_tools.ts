import { type ToolInfo, toToolInfo } from "../../catalog/describe_tool.ts";
import type { DownstreamTool } from "../../protocol/downstream.ts";
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
import { parseListTools } from "./parse_catalog.ts";

/** `list_tools(server)`, from which Python makes functions, too. */
export function openListTools(hub: Hub, mayCall: MayCall): HostCall {
  return hostCall({
    name: "mcp_list_tools",
    parse: parseListTools,
    async answer(args, { run, signal }): Promise<Json> {
      const codeMode = codeModeOf(run);
      const { server: { name } } = await findServer(hub, args.server);
      if (!codeMode.servers.includes(name)) {
        throw new HostCallError(
          "PermissionError",
          `Cannot list the tools of server ${
            quote(name)
          }: this run has not loaded it. ${loadRemedy(codeMode, name)}`,
        );
      }
      const tools = await askTools(hub, name, signal);
      return { tools: nameTools(name, tools, mayCall).map(toInfo) };
    },
  });
}

/** A tool is read once, though each run asks for it. */
const INFOS = new WeakMap<DownstreamTool, ToolInfo>();

function toInfo({ tool, alias }: NamedTool): ToolInfo {
  const known = INFOS.get(tool);
  if (known?.alias === alias) return known;
  const info = toToolInfo(tool, alias);
  INFOS.set(tool, info);
  return info;
}
