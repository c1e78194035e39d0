const ends = new WeakMap<Request, Promise<void>>();

/** @param ended Resolves once the answer has been sent, or its client is gone. */
export function noteEnd(request: Request, ended: Promise<void>): void {
  ends.set(request, ended);
}

/** A request that did not come over a connection has ended. */
export function endOf(request: Request): Promise<void> {
  return ends.get(request) ?? Promise.resolve();
}
