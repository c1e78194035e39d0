// The words for this project in packages and in lists of servers.

/** In the MCP registry, which looks for it in the packages that are listed. */
export const REGISTRY_NAME = "io.github.mcp-run-python/mcp-run-python";
export const REPOSITORY = "https://github.com/mcp-run-python/mcp-run-python";
export const TITLE = "Run Python";
/** 100 characters at most. */
export const DESCRIPTION =
  "Runs Python that a language model wrote, safely: a server of MCP, and a library.";
