// The facts that a run of code mode, or one that may call components, starts with. The
// server writes them, as JSON text of `RunRequest.codeMode`; `runner/code_mode.py` and
// `runner/components.py` read them.

/** Python's functions that are awaited; each has a twin that ends in `_sync`. */
const AWAITED = [
  "list_servers",
  "list_tools",
  "call_tool",
  "query_tool_docs",
  "search_tool_docs",
];

/**
 * All names that a run has, but for those of its servers, `mcp_<alias>`. Tests
 * compare Python's own, the manual and the table of `docs/code_mode.md` with it.
 */
export const CODE_MODE_NAMES: readonly string[] = [
  ...AWAITED,
  ...AWAITED.map((name) => `${name}_sync`),
  "mcp_servers",
  "LOADED_MCP_SERVERS",
  "MCPError",
  "runtime",
  "artifacts",
  "discovered_servers",
  "describe_server",
  "list_loaded_server_metadata",
  "capability_summary",
  "save_tool",
  "list_saved_tools",
  "delete_saved_tool",
  "save_memory",
  "load_memory",
  "delete_memory",
  "list_memories",
  "update_memory",
  "memory_exists",
  "get_memory_info",
  "display",
  "HTML",
  "notify_progress",
];

/** The facts of a run that may call components. */
export interface CallingStart {
  components: NamedServer[];
}

/** The facts of a run of code mode. */
export interface CodeModeStart extends CallingStart {
  /** The servers that this run may call. */
  servers: NamedServer[];
  /** All servers that are configured. */
  configured: NamedServer[];
  /** Functions that earlier runs of the client have saved. */
  saved: SavedFunction[];
}

/** A downstream server, by the names that code uses. */
export interface NamedServer {
  name: string;
  /** A Python identifier, without `mcp_` before it. */
  alias: string;
  description?: string;
  cwd?: string;
}

export interface SavedFunction {
  name: string;
  /** Python source, which the host has not checked: it is the client's own code. */
  source: string;
  /** Why there is no source, as a sentence; absent if there is. */
  problem?: string;
}
