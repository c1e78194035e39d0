import {
  type FromBridge,
  parseFromBridge,
  type ToBridge,
} from "../../protocol/bridge_messages.ts";
import type { Channel, Ended } from "../../protocol/channel.ts";

/** A message of a bridge that is outside the protocol has its own word. */
type Heard = FromBridge | { type: "outside" };

/** A bridge, beyond the broker. */
export type BridgeProcess = Channel<ToBridge, Heard>;

export type BridgeMessage = Heard | Ended;

/** Reads a message of a bridge. */
export function readFromBridge(message: unknown): Heard {
  return parseFromBridge(message) ?? { type: "outside" };
}
