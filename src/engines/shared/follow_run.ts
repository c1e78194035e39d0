import type {
  CheckpointPiece,
  SaveEnd,
} from "../../protocol/checkpoint_messages.ts";
import type { Ending } from "../../protocol/run_messages.ts";
import type { Anew } from "../../protocol/rewinding.ts";
import type { OnMessage } from "../engine.ts";
import { giveRoom, MOST_HELD, roomOf } from "./backlog.ts";
import { Queue } from "../../protocol/channel.ts";
import { type FromWorker, parseFromWorker } from "./from_worker.ts";

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
      case "rewound":
        return { status: "crashed", error: "The interpreter rewound itself" };
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
      case "rewound":
      case "done":
      case "broken":
        return undefined;
      case "piece":
        await take(message);
    }
    giveRoom(room, roomOf(message));
  }
}

/**
 * Waits until an interpreter was kept or rewound, or has ended instead. What code says
 * on the way is dropped.
 */
export async function followRewind(
  { messages, room }: { messages: Inbox; room: Int32Array },
): Promise<Anew | undefined> {
  while (true) {
    const message = await messages.next();
    if (message.type === "rewound") return message.anew;
    if (message.type === "broken") {
      return { cause: "ending", detail: message.reason };
    }
    giveRoom(room, roomOf(message));
  }
}

/**
 * The messages of a worker, and those pushed in its place, in order. The death of the
 * worker is its last one, and so is a flood: an honest worker waits while its brake is on.
 */
type Inbox = Pick<Queue<FromWorker>, "next">;

/** Listens to a worker; calls `onWord` for each message before it is read. */
export function openInbox(
  worker: Pick<Worker, "onerror">,
  port: MessagePort,
  onWord: () => void,
): Inbox & Pick<Queue<FromWorker>, "push"> {
  const messages = new Queue<FromWorker>();
  let held = 0;
  const push = (message: FromWorker) => {
    held += roomOf(message);
    messages.push(message);
  };
  port.onmessage = ({ data }) => {
    onWord();
    const message = parseFromWorker(data) ?? OUTSIDE_PROTOCOL;
    if (held + roomOf(message) <= MOST_HELD) return push(message);
    port.onmessage = null;
    port.close();
    push(FLOOD);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    messages.push(broken(`The interpreter died: ${event.message}`));
  };
  return {
    push,
    async next() {
      const message = await messages.next();
      held -= roomOf(message);
      return message;
    },
  };
}

const broken = (reason: string): FromWorker => ({ type: "broken", reason });
const OUTSIDE_PROTOCOL = broken(
  "The interpreter sent a message outside the protocol",
);
const FLOOD = broken("The interpreter sent more at a time than it may");
