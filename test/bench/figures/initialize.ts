import type { McpPeer } from "../mcp_peer.ts";
import { cpuMsOf } from "../usage.ts";
import type { Sample } from "./sample.ts";

/** A server, from its start to its answer to `initialize`. */
export async function measureInitialize(
  start: () => McpPeer,
): Promise<Sample> {
  await using server = start();
  await server.initialize();
  return { wallMs: server.ageMs, cpuMs: cpuMsOf(server.pid) };
}
