import type { Ending } from "../../protocol/run_messages.ts";
import type { OnMessage } from "../engine.ts";
import type { Inbox } from "./inbox.ts";
import { giveRoom, roomOf } from "./worker/backlog.ts";

/** The way of a run's messages. */
export interface RunWay {
  messages: Inbox;
  onMessage: OnMessage;
  /** Where room is given back for each message that was taken. */
  room: Int32Array;
}

/** Hands on the messages of the run of this number until it ends. */
export async function followRun(
  id: number,
  { messages, onMessage, room }: RunWay,
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
