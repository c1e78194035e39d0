import { type HostCall, hostCall } from "../host_calls/host_call.ts";
import manual from "./manual.md" with { type: "text" };

/** How to use code mode, for a model: Markdown, whose code runs. */
export const MANUAL: string = manual;

const MANUAL_TYPE = "text/markdown";

export const MANUAL_URI = "resource://mcp-run-python/capabilities";

/** The URI by which clients of another server with this tool know it. */
const OTHER_URI = "resource://mcp-server-code-execution-mode/capabilities";

/** The manual, in a list of resources. */
export const MANUAL_RESOURCE = {
  uri: MANUAL_URI,
  name: "Manual",
  description: "How code calls MCP servers, and keeps what it finds.",
  mimeType: MANUAL_TYPE,
};

export function isManualUri(uri: string): boolean {
  return uri === MANUAL_URI || uri === OTHER_URI;
}

export function readManual(uri: string) {
  return { uri, mimeType: MANUAL_TYPE, text: MANUAL };
}

/** `capability_summary()`. */
export const mcpManual: HostCall = hostCall({
  name: "mcp_manual",
  parse: () => null,
  answer: () => ({ text: MANUAL }),
});
