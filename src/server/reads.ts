import { OneAtATime } from "./one_at_a_time.ts";

/** Reads of callers, of which each takes several times the bytes of its answer. */
export class Reads {
  /** Reads of sessions. */
  readonly looks: OneAtATime = new OneAtATime();
  readonly files: OneAtATime = new OneAtATime();
  /** Waits for room for the answer to a request, if it comes by HTTP. */
  reserve: (request: Request | undefined, bytes: number) => Promise<void> =
    () => Promise.resolve();
  /** Resolves once a client has had time to take a large answer. */
  taken: (request: Request | undefined, bytes: number) => Promise<unknown> =
    () => Promise.resolve();
}
