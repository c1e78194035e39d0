import { assertEquals } from "../../deps/assert.ts";
import type { McpPeer } from "./mcp_peer.ts";

/**
 * Makes one call.
 *
 * @throws {Error} If what comes back is not right for this number.
 */
export type Call = (server: McpPeer, number: number) => Promise<void>;

/**
 * Has our server add one to a number.
 *
 * @param first Code to run before.
 */
export async function callPython(
  server: McpPeer,
  number: number,
  first = "",
): Promise<void> {
  const { structuredContent } = await server.callTool("run_python_code", {
    python_code: `${first}\n${number} + 1`,
  });
  assertEquals(structuredContent, {
    status: "success",
    output: [],
    return_value: number + 1,
  });
}

/** Has the baseline's server do nothing. */
export async function callNoop(
  server: McpPeer,
  number: number,
): Promise<void> {
  const { structuredContent } = await server.callTool("noop", { number });
  assertEquals(structuredContent, { number });
}
