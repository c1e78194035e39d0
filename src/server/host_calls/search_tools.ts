import { type IndexedServer, ToolIndex } from "../../catalog/tool_index.ts";
import type { Json } from "../../protocol/run_result.ts";
import type { CodeModeRun } from "../code_mode/code_mode_run.ts";
import {
  askTools,
  codeModeOf,
  type MayCall,
  type NamedServer,
  nameServers,
} from "../code_mode/find_downstream.ts";
import type { Hub } from "../code_mode/hub.ts";
import { type HostCall, hostCall } from "./host_call.ts";
import { toToolDoc } from "../../catalog/describe_tool.ts";
import { parseSearchTools } from "./tool_docs.ts";

/** `search_tool_docs(query, *, limit=5, detail="summary")`. */
export function openSearchTools(hub: Hub, mayCall: MayCall): HostCall {
  const index = new ToolIndex();
  return hostCall({
    name: "mcp_search_tools",
    parse: parseSearchTools,
    async answer({ query, limit, detail }, { run, signal }): Promise<Json> {
      const codeMode = codeModeOf(run);
      const all = await nameServers(hub);
      await askLoaded(hub, codeMode, signal);
      const known = all.flatMap((server) => toIndexed(hub, server));
      const hits = await index.search(known, query, {
        limit,
        isFound: ({ server, tool }) => mayCall(server, tool.name),
      });
      const aliases = new Map(
        all.map(({ server, alias }) => [server.name, alias]),
      );
      const docs = hits.map(({ server, tool, alias: toolAlias }) => {
        const serverAlias = aliases.get(server) ?? server;
        return toToolDoc(tool, { server, serverAlias, toolAlias }, detail);
      });
      const found = [...new Set(hits.map(({ server }) => server))];
      const isKnown = new Set(known.map(({ name }) => name));
      return {
        docs,
        notLoaded: found.filter((name) => !codeMode.servers.includes(name)),
        unknown: all.map(({ server }) => server.name)
          .filter((name) => !isKnown.has(name)),
      };
    },
  });
}

/** A server of the run that does not answer counts as unknown. */
async function askLoaded(
  hub: Hub,
  { servers }: CodeModeRun,
  signal: AbortSignal,
): Promise<void> {
  await Promise.allSettled(
    servers.filter((name) => hub.knownTools(name) === undefined)
      .map((name) => askTools(hub, name, signal)),
  );
}

function toIndexed(hub: Hub, { server }: NamedServer): IndexedServer[] {
  const tools = hub.knownTools(server.name);
  if (tools === undefined) return [];
  const { name, description } = server;
  return [{
    name,
    tools,
    ...(description === undefined ? {} : { description }),
  }];
}
