import {
  type BridgeLimits,
  type FromBridge,
  type Introduction,
  parseFromBridge,
  type ToBridge,
} from "../../protocol/bridge_messages.ts";
import type { DownstreamTool, ServerEntry } from "../../protocol/downstream.ts";
import { openChannel } from "../child.ts";
import { bridgeKind } from "../kinds.ts";
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
  const started = startBridge(entry, limits);
  const kind = bridgeKind({ start: () => started });
  const bridge = openChannel<ToBridge, FromBridge | undefined>(
    kind,
    {},
    parseFromBridge,
  );
  await bridge.send({ type: "list", id: 1 });
  try {
    while (true) {
      const said = await bridge.messages.next();
      if (said?.type === "tools") return said;
      if (said?.type === "failed") throw new Error(said.reason);
      if (said?.type === "ended") {
        throw new Error(`its bridge has ended (${said.reason})`);
      }
    }
  } finally {
    bridge.kill();
    await bridge.ended;
  }
}
