import type { ProgressStep } from "../../protocol/run_messages.ts";

/** A request, as the SDK gives it to a handler. */
export interface ProgressRequest {
  _meta?: { progressToken?: string | number | undefined } | undefined;
  signal: AbortSignal;
  notify(notification: {
    method: "notifications/progress";
    params: Record<string, unknown>;
  }): Promise<void>;
}

/**
 * Time between the last progress and the result: the SDK's client (2.4) drops
 * progress that it reads together with the result.
 */
const APART_MS = 10;

/** Opens the progress of a call; a client that wants progress has sent a token. */
export function openProgress(request: ProgressRequest): {
  report(progress: ProgressStep): void;
  /** Waits until all messages are sent: the result must come after them. */
  close(): Promise<void>;
} {
  const progressToken = request._meta?.progressToken;
  const counter = new ProgressCounter();
  let sent = Promise.resolve();
  let quietFrom = 0;
  return {
    report(progress) {
      if (progressToken === undefined || request.signal.aborted) return;
      const { message } = progress;
      const params = { progressToken, ...counter.next(progress), message };
      quietFrom = performance.now() + APART_MS;
      // The client may be gone.
      sent = request.notify({ method: "notifications/progress", params })
        .catch(() => {});
    },
    async close() {
      await sent;
      const wait = quietFrom - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    },
  };
}

/** The least growth, as a part of the number. */
const STEP = 1e-6;

/**
 * Makes numbers grow with each message, as MCP demands, whatever code says: a
 * number that goes back is counted on from the last number.
 */
export class ProgressCounter {
  #start = 0;
  #said = 0;
  #last: number | undefined;

  next(
    { progress, total }: Pick<ProgressStep, "progress" | "total">,
  ): { progress: number; total?: number } {
    const said = progress ?? this.#said + 1;
    if (said < this.#said) this.#start = this.#last ?? 0;
    this.#said = said;
    const value = this.#start + said;
    const last = this.#last;
    this.#last = last === undefined || value > last
      ? value
      : last + Math.max(1, last) * STEP;
    return {
      progress: this.#last,
      ...(total === undefined ? {} : { total: this.#start + total }),
    };
  }
}
