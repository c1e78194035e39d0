import type { ProgressStep } from "../../protocol/run_messages.ts";

/** A request, as the SDK gives it to a handler. */
export interface ProgressRequest {
  _meta?: { progressToken?: string | number | undefined } | undefined;
  signal: AbortSignal;
  /** Absent if its call ends with it. */
  lasting?: { step(message: string): void };
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
  /** Reports a printed line, which counts for nothing in the steps of the work. */
  reportLine(message: string): void;
  /** Waits until all messages are sent: the result must come after them. */
  close(): Promise<void>;
} {
  const counter = new ProgressCounter();
  let sent = Promise.resolve();
  let quietFrom = 0;
  const send = (message: string, next: () => Counted) => {
    request.lasting?.step(message);
    const progressToken = request._meta?.progressToken;
    if (progressToken === undefined || request.signal.aborted) return;
    const params = { progressToken, ...next(), message };
    quietFrom = performance.now() + APART_MS;
    // The client may be gone.
    sent = request.notify({ method: "notifications/progress", params })
      .catch(() => {});
  };
  return {
    report: (step) => send(step.message, () => counter.next(step)),
    reportLine: (line) => send(line, () => counter.nextOfLine()),
    async close() {
      await sent;
      const wait = quietFrom - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    },
  };
}

type Counted = Pick<ProgressStep, "total"> & { progress: number };

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
  ): Counted {
    const said = progress ?? this.#said + 1;
    if (said < this.#said) this.#start = this.#last ?? 0;
    this.#said = said;
    return {
      progress: this.#grow(this.#start + said),
      ...(total === undefined ? {} : { total: this.#start + total }),
    };
  }

  /** The number of a message beside those of the work, which takes none of theirs. */
  nextOfLine(): Counted {
    return { progress: this.#grow(0) };
  }

  #grow(value: number): number {
    const last = this.#last;
    this.#last = last === undefined || value > last
      ? value
      : last + Math.max(1, last) * STEP;
    return this.#last;
  }
}
