/**
 * What is under way from worker to host: counted in shared memory, so that a
 * flood costs time and not memory.
 *
 * @module
 */
import type { FromWorker } from "../../../protocol/run_messages.ts";

/** Characters and bytes under way to the host before Python has to wait. */
const WINDOW = 1 << 20;
/** What a message may take; two of them are still a count of 32 bits. */
const LARGEST = 2 ** 29;
/** What a message takes beside its text. */
const MESSAGE = 200;

/**
 * What the host holds of a worker at the most: far more than a window and the
 * largest picture, so that an honest worker never comes near it.
 */
export const MOST_HELD = 1 << 26;

/** Sends a message to the host. */
export type Post = (message: FromWorker, transfer?: Transferable[]) => void;

/**
 * The worker's side: waits until there is room, takes it, and sends.
 *
 * Code that was interrupted waits, too: Python can write the byte by which it is
 * interrupted, and must not release its brake with it.
 */
export function withBrake(brake: (size: number) => void, post: Post): Post {
  return (message, transfer) => {
    brake(roomOf(message));
    post(message, transfer);
  };
}

/** The worker's side: opens the brake, which waits for room and takes the room. */
export function openBrake(shared: SharedArrayBuffer): (size: number) => void {
  const backlog = new Int32Array(shared);
  return (size) => {
    if (!Number.isInteger(size) || size < 0 || size > LARGEST) {
      throw new RangeError(`Cannot send a message of ${size} characters`);
    }
    for (
      let taken = Atomics.load(backlog, 0);
      taken > WINDOW;
      taken = Atomics.load(backlog, 0)
    ) Atomics.wait(backlog, 0, taken);
    Atomics.add(backlog, 0, size);
  };
}

/** The host's side: gives room back. */
export function giveRoom(backlog: Int32Array, size: number): void {
  Atomics.sub(backlog, 0, size);
  Atomics.notify(backlog, 0);
}

/** Room that a message takes. */
export function roomOf(message: FromWorker): number {
  switch (message.type) {
    case "output":
      return message.text.length;
    case "display":
      return MESSAGE + message.data.length;
    case "ask":
    case "notify":
      return MESSAGE + message.name.length + message.arguments.length;
    case "file":
      return MESSAGE + message.bytes.length;
    default:
      return MESSAGE;
  }
}
