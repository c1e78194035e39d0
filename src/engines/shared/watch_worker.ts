const PATIENCE_MS = 300;

/**
 * Watches a worker for its end.
 *
 * `Worker.terminate()` does not stop a busy worker, and tells of no end. But a
 * port that the worker has is closed when its thread and all its memory are
 * gone: this waits for that.
 */
export async function openWatch() {
  // Of two kinds of ports only Node's tell of their end.
  const { MessageChannel } = await import("node:worker_threads");
  const { port1: near, port2: far } = new MessageChannel();
  const closed = new Promise<true>((resolve) =>
    near.on("close", () => resolve(true))
  );
  near.on("message", () => {});
  return {
    /** To be sent to the worker, which keeps it and does nothing with it. */
    // Node's type of it does not know that it is one of the web's, too.
    far: far as unknown as MessagePort,
    /** Whether the worker ends soon after the order to end. */
    async isGone(): Promise<boolean> {
      const late = Promise.withResolvers<false>();
      const timer = setTimeout(() => late.resolve(false), PATIENCE_MS);
      const isGone = await Promise.race([closed, late.promise]);
      clearTimeout(timer);
      return isGone;
    },
  };
}
