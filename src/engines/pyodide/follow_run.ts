import type {
  CheckpointPiece,
  SaveEnd,
} from "../../protocol/checkpoint_messages.ts";
import type { Ending } from "../../protocol/run_messages.ts";
import type { OnMessage } from "../engine.ts";
import type { Inbox } from "./inbox.ts";
import { giveRoom, roomOf } from "./worker/backlog.ts";

/**
 * Hands on the messages of the run of this number until it ends.
 *
 * @param room Gets room back for each message that was taken.
 */
export async function followRun(
  id: number,
  { messages, onMessage, room }: {
    messages: Inbox;
    onMessage: OnMessage;
    room: Int32Array;
  },
): Promise<Ending> {
  while (true) {
    const message = await messages.next();
    switch (message.type) {
      case "done":
        return message.id === id
          ? message.ending
          : { status: "crashed", error: "The interpreter ended another run" };
      case "ready":
        return { status: "crashed", error: "The interpreter started twice" };
      case "broken":
        return { status: "crashed", error: message.reason };
      case "piece":
      case "saved":
      case "unsaved":
        return { status: "crashed", error: "The interpreter saved itself" };
      default:
        await onMessage(message);
    }
    giveRoom(room, roomOf(message));
  }
}

/**
 * Hands on the pieces of a checkpoint until its end; undefined if the interpreter
 * has ended instead. What code says on the way, a finalizer for one, is dropped.
 */
export async function followSave(
  { messages, take, room }: {
    messages: Inbox;
    take: (piece: CheckpointPiece) => Promise<void>;
    room: Int32Array;
  },
): Promise<SaveEnd | undefined> {
  while (true) {
    const message = await messages.next();
    switch (message.type) {
      case "saved":
      case "unsaved":
        return message;
      case "ready":
      case "done":
      case "broken":
        return undefined;
      case "piece":
        await take(message);
    }
    giveRoom(room, roomOf(message));
  }
}
