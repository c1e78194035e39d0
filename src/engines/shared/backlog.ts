/**
 * The backlog of messages under way from worker to host: counted in shared
 * memory, so that a flood costs time and not memory.
 *
 * @module
 */
import type { FromWorker } from "./from_worker.ts";

/** Characters and bytes under way to the host before Python has to wait. */
const WINDOW = 1 << 20;
/** The most room of a message; twice as much is still a count of 32 bits. */
const LARGEST = 2 ** 29;
/** Room of a message beside its texts and bytes. */
const MESSAGE = 200;

/**
 * The most that the host holds of a worker's messages: far more than a window
 * and the largest picture, so that an honest worker never comes near it.
 */
export const MOST_HELD = 1 << 26;

export type Post = (message: FromWorker, transfer?: Transferable[]) => void;

/**
 * The worker's side: waits until there is room, takes it, and sends.
 *
 * Code that was interrupted waits, too: Python can write the interrupt byte, and must
 * not release its brake by it.
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
    for (let taken; (taken = Atomics.load(backlog, 0)) > WINDOW;) {
      Atomics.wait(backlog, 0, taken);
    }
    Atomics.add(backlog, 0, size);
  };
}

/** The host's side: gives room back. */
export function giveRoom(backlog: Int32Array, size: number): void {
  Atomics.sub(backlog, 0, size);
  Atomics.notify(backlog, 0);
}

/** Room that a message takes: its texts and bytes, and a little. */
export function roomOf(message: FromWorker): number {
  let room = MESSAGE;
  for (const value of Object.values(message)) {
    if (typeof value === "string" || ArrayBuffer.isView(value)) {
      room += typeof value === "string" ? value.length : value.byteLength;
    }
  }
  return room;
}
