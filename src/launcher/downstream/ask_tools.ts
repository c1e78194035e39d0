import {
  type BridgeLimits,
  type Introduction,
  parseFromBridge,
  type ToBridge,
} from "../../protocol/bridge_messages.ts";
import type { DownstreamTool, ServerEntry } from "../../protocol/downstream.ts";
import { parsePacket } from "../../protocol/channel.ts";
import { encodePacket } from "../../protocol/packets.ts";
import { startChild } from "../child.ts";
import { bridgeKind } from "../kinds.ts";
import { howEnded } from "../spawn.ts";
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
  const { promise, resolve, reject } = Promise.withResolvers<ServerTools>();
  const started = startBridge(entry, limits);
  const kind = bridgeKind({ start: () => started });
  const bridge = startChild(kind, {}, (packet) => {
    const said = parsePacket(packet, parseFromBridge);
    if (said?.type === "tools") resolve(said);
    if (said?.type === "failed") reject(new Error(said.reason));
    return Promise.resolve();
  });
  bridge.ended.then((status) =>
    reject(new Error(`its bridge has ended (${howEnded(status)})`))
  );
  bridge.send(...encodePacket({ type: "list", id: 1 } satisfies ToBridge));
  try {
    return await promise;
  } finally {
    bridge.kill();
    await bridge.ended;
  }
}
