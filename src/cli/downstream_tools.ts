import { UserError } from "../errors.ts";
import type { Introduction } from "../protocol/bridge_messages.ts";
import type { DownstreamTool, ServerEntry } from "../protocol/downstream.ts";
import type { Settings } from "../settings.ts";

/** A downstream server's own words, and its tools. */
export interface ServerTools {
  server: Introduction;
  tools: DownstreamTool[];
}

/** The same, of the server that the user has configured by a name. */
export interface NamedTools extends ServerTools {
  name: string;
}

export interface FoundTool {
  /** The name that the user has configured. */
  server: string;
  tool: DownstreamTool;
}

/** What the command `servers` does with downstream servers. */
export interface DownstreamTools {
  /**
   * Starts or reaches a server, and ends it.
   *
   * @throws {Error} If it fails; the message has the end of the server's stderr.
   */
  listTools(entry: ServerEntry): Promise<ServerTools>;
  /** The tools that a query means, the best first. */
  search(query: string, servers: readonly NamedTools[]): FoundTool[];
  /** Python stubs of a server's tools, or of one of them. */
  stubsOf(server: NamedTools, tool?: DownstreamTool): string;
}

/** The bridges and the catalog, which other parts of code mode bring. */
export function openDownstreamTools(
  _settings: Settings,
): Promise<DownstreamTools> {
  throw new UserError("Cannot start MCP servers yet.");
}
