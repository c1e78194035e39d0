import { callPython } from "../calls.ts";
import { McpPeer } from "../mcp_peer.ts";
import { cpuMsOf } from "../usage.ts";
import type { Sample } from "./sample.ts";

/** Ours: from start to the result of a first call, as soon as one can be made. */
export async function measureFirstResult(): Promise<Sample> {
  await using server = McpPeer.startOurs();
  await server.connect();
  await callPython(server, 1);
  return { wallMs: server.ageMs, cpuMs: cpuMsOf(server.pid) };
}
