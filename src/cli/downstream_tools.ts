import { toStub } from "../catalog/describe_tool.ts";
import { ToolIndex } from "../catalog/tool_index.ts";
import {
  askTools,
  type ServerTools,
} from "../launcher/downstream/ask_tools.ts";
import type { DownstreamTool, ServerEntry } from "../protocol/downstream.ts";
import type { Settings } from "../settings.ts";
import { toAliases } from "../catalog/identifiers.ts";

/** The tools of the server that the user has configured by a name. */
export interface NamedTools extends ServerTools {
  name: string;
}

export interface FoundTool {
  /** The name that the user has configured. */
  server: string;
  tool: DownstreamTool;
}

/** The work of the command `servers` on downstream servers. */
export interface DownstreamTools {
  /**
   * Starts or reaches a server, and ends it.
   *
   * @throws {Error} If it fails; the message has the end of the server's stderr.
   */
  listTools(entry: ServerEntry): Promise<ServerTools>;
  /** The tools that a query means, the best first. */
  search(
    query: string,
    servers: readonly NamedTools[],
    limit: number,
  ): Promise<FoundTool[]>;
  /** Python stubs of a server's tools, or of one of them. */
  stubsOf(server: NamedTools, tool?: DownstreamTool): string;
}

/** The bridges and the catalog, as code mode uses them. */
export function openDownstreamTools(
  { startTimeoutSeconds, maxHostCallSize }: Settings,
): DownstreamTools {
  const limits = {
    startMs: startTimeoutSeconds * 1000,
    maxResult: maxHostCallSize,
  };
  const index = new ToolIndex();
  return {
    listTools: (entry) => askTools(entry, limits),
    search: (query, servers, limit) => index.search(servers, query, { limit }),
    stubsOf({ tools }, tool) {
      const aliases = toAliases(tools.map(({ name }) => name));
      return (tool ? [tool] : tools)
        .map((one) => toStub(one, aliases.get(one.name) ?? one.name))
        .join("\n\n");
    },
  };
}
