import {
  type FromBridge,
  parseFromBridge,
  type ToBridge,
} from "../../protocol/bridge_messages.ts";
import { type Frame, readPayload } from "../../protocol/frames.ts";
import type { Queue } from "../../protocol/queue.ts";

/** A bridge, beyond the broker. */
export interface BridgeProcess {
  messages: Pick<Queue<BridgeMessage>, "next">;
  /** @throws {RangeError} If the message is longer than a line may be. */
  send(message: ToBridge): Promise<void>;
  /** Has the bridge end its downstream server, and itself. */
  kill(): void;
}

/** `ended` is the last message. */
export type BridgeMessage =
  | FromBridge
  | { type: "outside" }
  | { type: "ended"; reason: string };

/** Reads a message of a bridge; `outside` if it is outside the protocol. */
export function readFromBridge(frame: Frame): BridgeMessage {
  try {
    return parseFromBridge(readPayload(frame)) ?? { type: "outside" };
  } catch {
    return { type: "outside" };
  }
}
