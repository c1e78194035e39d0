/**
 * What is under way from worker to host: counted in shared memory, so that a
 * flood costs time and not memory.
 *
 * @module
 */
import type { FromWorker } from "../../../protocol/messages.ts";

/** Characters and bytes under way to the host before Python has to wait. */
const WINDOW = 1 << 20;
/** What a message takes beside its text. */
const MESSAGE = 200;
/** Places in the shared memory: what is under way, and whether to wait for it. */
const TAKEN = 0;
const IS_RELEASED = 1;

/** Size of the shared memory. */
export const BACKLOG_BYTES = 8;

/**
 * What the host holds of a worker at the most: far more than a window and the
 * largest picture, as code that was interrupted sends its last words without
 * waiting.
 */
export const MOST_HELD = 1 << 26;

/** Sends a message to the host. */
export type Post = (message: FromWorker, transfer?: Transferable[]) => void;

/**
 * The worker's side: waits until there is room, takes it, and sends.
 *
 * Python can write the byte by which it is interrupted; it finds no way to this
 * memory, so that the host alone releases the brake.
 */
export function withBrake(brake: (size: number) => void, post: Post): Post {
  return (message, transfer) => {
    brake(roomOf(message));
    post(message, transfer);
  };
}

/** The worker's side: gives what waits until there is room, and takes it. */
export function openBrake(shared: SharedArrayBuffer): (size: number) => void {
  const backlog = new Int32Array(shared);
  return (size) => {
    if (!Number.isSafeInteger(size) || size < 0) {
      throw new RangeError(`Cannot send a message of ${size} characters`);
    }
    for (
      let taken = Atomics.load(backlog, TAKEN);
      taken > WINDOW && Atomics.load(backlog, IS_RELEASED) === 0;
      taken = Atomics.load(backlog, TAKEN)
    ) Atomics.wait(backlog, TAKEN, taken, 50);
    Atomics.add(backlog, TAKEN, size);
  };
}

/** The host's side: gives room back. */
export function giveRoom(backlog: Int32Array, size: number): void {
  Atomics.sub(backlog, TAKEN, size);
  Atomics.notify(backlog, TAKEN);
}

/** The host's side: from now on nothing waits, as the code is interrupted. */
export function releaseBrake(backlog: Int32Array): void {
  Atomics.store(backlog, IS_RELEASED, 1);
  Atomics.notify(backlog, TAKEN);
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

/** Room that a piece of a file takes, or that one is gone. */
export function roomOfFile(bytes?: Uint8Array): number {
  return MESSAGE + (bytes?.length ?? 0);
}
