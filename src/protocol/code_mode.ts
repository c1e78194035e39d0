// The facts that a run of code mode starts with. The server writes them, as JSON
// text of `RunRequest.codeMode`; `runner/code_mode.py` reads them.

export interface CodeModeStart {
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
