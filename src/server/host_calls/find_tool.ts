import { toAliases } from "../../catalog/aliases.ts";
import type { DownstreamTool } from "../../protocol/downstream.ts";
import type { Hub } from "../code_mode/hub.ts";
import { nearestNames } from "../../catalog/nearest_names.ts";
import type { ToolRules } from "../code_mode/tool_rules.ts";
import { quote, type ToolCall, whatOf } from "./tool_call.ts";
import { ToolCallError } from "./tool_call_error.ts";

/** Lists of tools that the rules have been compared with. */
const noted = new WeakSet<readonly DownstreamTool[]>();

/** The tool that a call names; it may be of those that code may not call. */
export async function findTool(
  call: ToolCall,
  { hub, rules, signal }: {
    hub: Hub;
    rules: ToolRules;
    signal: AbortSignal;
  },
): Promise<DownstreamTool> {
  const { server } = call;
  const tools = await hub.tools(server, signal);
  if (!noted.has(tools)) {
    noted.add(tools);
    const servers = await hub.servers();
    rules.note(servers.map(({ name }) => name), (one) => hub.knownTools(one));
  }
  const tool = tools.find(({ name }) => name === call.tool);
  if (tool) return tool;
  const names = tools.map(({ name }) => name)
    .filter((name) => rules.mayCall(server, name));
  throw new ToolCallError(
    "failed:unknown",
    "ValueError",
    `Cannot call ${whatOf(call)}: it has no such tool. ${
      advise(call.tool, names)
    }`,
  );
}

function advise(word: string, names: string[]): string {
  const [alias] = [...toAliases(names)].find(([, alias]) => alias === word) ??
    [];
  const near = alias === undefined ? nearestNames(word, names) : [alias];
  return near.length > 0
    ? `Did you mean ${near.map(quote).join(" or ")}?`
    : `list_tools() lists its ${names.length} tools.`;
}
