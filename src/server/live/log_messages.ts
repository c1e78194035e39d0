import type { LoggingLevel } from "../../../deps/mcp_server.ts";

/** A request, as the SDK gives it to a handler. */
export interface LogRequest {
  /** The envelope of a request of the later era; undefined in 2025's. */
  envelope?: object | undefined;
  signal: AbortSignal;
  /** Sends a log message; in the later era, if the request asks for its level. */
  log(level: LoggingLevel, data: unknown, logger?: string): Promise<void>;
}

/** Levels, from the least to the most severe. */
const SEVERITY: readonly LoggingLevel[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** Lines that may wait for a client; with more, lines are joined. */
const MOST_WAITING = 1000;
/** Characters of joined lines. */
const LONGEST_JOINED = 10_000;

type Line = { level: LoggingLevel; text: string };

/**
 * Sends log messages of calls to a client that wants them.
 *
 * A client of the later era asks with each request. A client of 2025 sets a
 * level once, and hears nothing before: the SDK would send it all messages.
 */
export class LogMessages {
  #level: LoggingLevel = "emergency";

  /** Sets the least level that a client of 2025 wants to hear of. */
  setLevel(level: LoggingLevel): void {
    this.#level = level;
  }

  open(request: LogRequest): {
    log(level: LoggingLevel, text: string): void;
    /** Waits until all messages are sent: the result must come after them. */
    close(): Promise<void>;
  } {
    const waiting: Line[] = [];
    let sending: Promise<void> | undefined;
    // Not all at a time: each message takes far more memory than its line.
    const send = async () => {
      for (let next; (next = takeNext(waiting)) && !request.signal.aborted;) {
        // The client may be gone.
        await request.log(next.level, next.text, "python").catch(() => {});
      }
      sending = undefined;
    };
    return {
      log: (level, text) => {
        if (request.signal.aborted) return;
        const isWanted = request.envelope !== undefined ||
          SEVERITY.indexOf(level) >= SEVERITY.indexOf(this.#level);
        if (!isWanted) return;
        waiting.push({ level, text });
        sending ??= send();
      },
      close: async () => await sending,
    };
  }
}

/** Takes the next line, or for a slow client the next lines of one level. */
function takeNext(waiting: Line[]): Line | undefined {
  const [first] = waiting;
  if (!first || waiting.length <= MOST_WAITING) return waiting.shift();
  let room = LONGEST_JOINED;
  const end = waiting.findIndex(({ level, text }, at) =>
    (room -= text.length + 1) < 0 && at > 0 || level !== first.level
  );
  const lines = waiting.splice(0, end < 0 ? waiting.length : end);
  return { ...first, text: lines.map(({ text }) => text).join("\n") };
}
