import type { LoggingLevel } from "../../../deps/mcp_server.ts";

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

/** Lines that wait for a client, each for itself; more are joined. */
const MOST_WAITING = 1000;
/** Characters of lines that are joined. */
const LONGEST_JOINED = 10_000;

interface Line {
  level: LoggingLevel;
  text: string;
}

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
    const waiting: Line[] = [];
    let sending: Promise<void> | undefined;
    // One at a time: a message on its way takes far more memory than its line.
    const send = async () => {
      for (let next; (next = takeNext(waiting)) && !request.signal.aborted;) {
        // A client that is gone needs none.
        await request.log(next.level, next.text, LOGGER).catch(() => {});
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

/** The next message: a line, or those of one level if the client is too slow. */
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
