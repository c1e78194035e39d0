import type { LoggingLevel } from "../../deps/mcp_server.ts";

/** What the SDK gives a handler of its request. */
export interface LogRequest {
  /** What each request of the later era says of itself. */
  envelope?: object | undefined;
  signal: AbortSignal;
  /** Sends, of the later era's requests, to those that ask for this level. */
  log(level: LoggingLevel, data: unknown, logger?: string): Promise<void>;
}

/** Levels, from the least to the most severe. */
const SEVERITY: readonly LoggingLevel[] = [
  ...["debug", "info", "notice", "warning"] as const,
  ...["error", "critical", "alert", "emergency"] as const,
];

/** Name that our log messages come under. */
const LOGGER = "python";

/**
 * Sends log messages of calls to a client that wants them.
 *
 * A client of the later era asks with each request. One of 2025 sets a level
 * once, and hears nothing before it does: the SDK would send it all.
 */
export class LogMessages {
  #level: LoggingLevel = "emergency";

  /** Sets the least level that a client of 2025 wants to hear of. */
  setLevel(level: LoggingLevel): void {
    this.#level = level;
  }

  /** Opens the way to the client of a call. */
  open(request: LogRequest): {
    log(level: LoggingLevel, text: string): void;
    /** Waits until all is sent: the result must come after it. */
    close(): Promise<void>;
  } {
    let sent: Promise<void> = Promise.resolve();
    return {
      log: (level, text) => {
        if (request.signal.aborted) return;
        const isWanted = request.envelope !== undefined ||
          SEVERITY.indexOf(level) >= SEVERITY.indexOf(this.#level);
        // A client that is gone needs none.
        if (isWanted) sent = request.log(level, text, LOGGER).catch(() => {});
      },
      close: () => sent,
    };
  }
}
