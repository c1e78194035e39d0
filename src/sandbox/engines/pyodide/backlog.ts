/**
 * What is under way from worker to host: counted in shared memory, so that a
 * flood costs time and not memory.
 *
 * @module
 */
import type { Call, Display } from "../../../protocol/messages.ts";
import type { WorkerStart } from "./worker_start.ts";

/** Characters under way to the host before Python has to wait. */
const WINDOW = 1 << 20;
/** What a message takes beside its text. */
const MESSAGE = 200;

/** The worker's side: waits until there is room, and takes it. */
export function openBacklog(
  start: Pick<WorkerStart, "interrupt" | "backlog">,
): (size: number) => void {
  const backlog = new Int32Array(start.backlog);
  const interrupt = new Uint8Array(start.interrupt);
  return (size) => {
    for (
      let taken = Atomics.load(backlog, 0);
      taken > WINDOW && interrupt[0] === 0;
      taken = Atomics.load(backlog, 0)
    ) Atomics.wait(backlog, 0, taken, 50);
    Atomics.add(backlog, 0, size);
  };
}

/** The host's side: gives room back. */
export function giveRoom(backlog: Int32Array, size: number): void {
  Atomics.sub(backlog, 0, size);
  Atomics.notify(backlog, 0);
}

/** Room that a picture takes. */
export function roomOfDisplay({ data }: Pick<Display, "data">): number {
  return MESSAGE + data.length;
}

/** Room that a call takes. */
export function roomOf(call: Pick<Call, "name" | "arguments">): number {
  return MESSAGE + call.name.length + call.arguments.length;
}

/** Room that a piece of a file takes, or that one is gone. */
export function roomOfFile(bytes?: Uint8Array): number {
  return MESSAGE + (bytes?.length ?? 0);
}
