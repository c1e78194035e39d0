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
      default:
        await onMessage(message);
    }
    giveRoom(room, roomOf(message));
  }
}
