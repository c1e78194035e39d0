/** The sandbox itself cannot start or has ended; the message has the remedy. */
export class SandboxError extends Error {
  /** Tells it from other errors. */
  override name = "SandboxError";
}
