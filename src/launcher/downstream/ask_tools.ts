import {
  type BridgeLimits,
  type Introduction,
  parseFromBridge,
} from "../../protocol/bridge_messages.ts";
import type { DownstreamTool, ServerEntry } from "../../protocol/downstream.ts";
import { decodeFrame, readPayload } from "../../protocol/frames.ts";
import { connectBridge } from "./bridge_process.ts";
import { startBridge } from "./start_bridge.ts";

/** A downstream server's own words, and its tools. */
export interface ServerTools {
  server: Introduction;
  tools: DownstreamTool[];
}

/**
 * Starts or reaches a downstream server once, by a bridge of its own.
 *
 * @throws {Error} If it fails; the message has the end of the server's stderr.
 */
export async function askTools(
  entry: ServerEntry,
  limits: BridgeLimits,
): Promise<ServerTools> {
  const told = Promise.withResolvers<ServerTools>();
  const bridge = connectBridge(1, startBridge(entry, limits), (line) => {
    const frame = decodeFrame(line.subarray(0, -1));
    const message = readPayload(frame);
    const said = parseFromBridge(message);
    if (frame.kind === "ended") told.reject(new Error(String(message)));
    else if (said?.type === "tools") told.resolve(said);
    else if (said?.type === "failed") told.reject(new Error(said.reason));
    return Promise.resolve(true);
  });
  bridge.send(new TextEncoder().encode('{"type":"list","id":1}'));
  try {
    return await told.promise;
  } finally {
    bridge.kill();
    await bridge.ended;
  }
}
