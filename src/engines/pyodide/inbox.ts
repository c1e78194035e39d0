import { Queue } from "../../protocol/queue.ts";
import { MOST_HELD, roomOf } from "./worker/backlog.ts";
import { type FromWorker, parseFromWorker } from "./worker_messages.ts";

/**
 * The messages of a worker, in order. The death of the worker is its last one, and
 * so is a flood: an honest worker waits while its brake is on.
 */
export type Inbox = Pick<Queue<FromWorker>, "next">;

/** Listens to a worker; calls `onWord` for each message before it is read. */
export function openInbox(
  worker: Pick<Worker, "onerror">,
  port: MessagePort,
  onWord: () => void,
): Inbox {
  const messages = new Queue<FromWorker>();
  let held = 0;
  port.onmessage = ({ data }) => {
    onWord();
    const message = parseFromWorker(data) ?? OUTSIDE_PROTOCOL;
    held += roomOf(message);
    if (held <= MOST_HELD) return messages.push(message);
    port.onmessage = null;
    port.close();
    messages.push(FLOOD);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    messages.push(broken(`The interpreter died: ${event.message}`));
  };
  return {
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
