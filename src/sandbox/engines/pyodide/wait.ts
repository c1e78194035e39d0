import type { WorkerStart } from "../../../protocol/messages.ts";

/** Time after which an interrupt is seen. */
const LOOK_MS = 20;

/**
 * Makes a function that waits for some milliseconds without computing; it
 * returns early when the run is interrupted.
 *
 * @param before Called first: what is held back would wait as well.
 */
export function waiter(
  start: Pick<WorkerStart, "interrupt">,
  before: () => void,
): (ms: number) => void {
  const interrupt = new Uint8Array(start.interrupt);
  // Nobody else has it: a wait ends by time alone.
  const idle = new Int32Array(new SharedArrayBuffer(4));
  return (ms) => {
    before();
    const end = performance.now() + ms;
    for (
      let left = ms;
      left > 0 && interrupt[0] === 0;
      left = end - performance.now()
    ) Atomics.wait(idle, 0, 0, Math.min(left, LOOK_MS));
  };
}
