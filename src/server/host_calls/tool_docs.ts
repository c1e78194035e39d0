import type { DownstreamTool } from "../../protocol/downstream.ts";
import type { Json } from "../../protocol/run_result.ts";
import type { CodeModeRun } from "../code_mode/code_mode_run.ts";
import {
  askTools,
  codeModeOf,
  findServer,
  findTool,
  loadRemedy,
  type MayCall,
  nameTools,
  quote,
} from "../code_mode/find_downstream.ts";
import type { Hub } from "../code_mode/hub.ts";
import { type HostCall, hostCall, HostCallError } from "./host_call.ts";
import { parseToolDocs } from "./parse_catalog.ts";
import { toToolDoc } from "../../catalog/describe_tool.ts";

/** `query_tool_docs(server, tool=None, detail="summary")`. */
export function openToolDocs(hub: Hub, mayCall: MayCall): HostCall {
  return hostCall({
    name: "mcp_tool_docs",
    parse: parseToolDocs,
    async answer(args, { run, signal }): Promise<Json> {
      const codeMode = codeModeOf(run);
      const { server, alias } = await findServer(hub, args.server);
      const tools = await toolsFor(codeMode, server.name, signal);
      const named = nameTools(server.name, tools, mayCall);
      const wanted = args.tool === undefined
        ? named
        : [findTool(server.name, named, args.tool)];
      const docs = wanted.map(({ tool, alias: toolAlias }) => {
        const names = { server: server.name, serverAlias: alias, toolAlias };
        return toToolDoc(tool, names, args.detail);
      });
      return { docs };
    },
  });

  /** Asks the run's own servers only; of others it gives the last known tools. */
  async function toolsFor(
    codeMode: CodeModeRun,
    name: string,
    signal: AbortSignal,
  ): Promise<readonly DownstreamTool[]> {
    if (codeMode.servers.includes(name)) {
      return await askTools(hub, name, signal);
    }
    const known = hub.knownTools(name);
    if (known) return known;
    throw new HostCallError(
      "PermissionError",
      `The tools of server ${
        quote(name)
      } are not known yet, and this run has not loaded it. ${
        loadRemedy(codeMode, name)
      }`,
    );
  }
}
