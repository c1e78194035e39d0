import type { LoggingLevel } from "../../../deps/mcp_server.ts";
import type { Stream } from "../../protocol/run_messages.ts";
import { Latest } from "../../protocol/latest.ts";
import { head } from "../../results/cut.ts";
import { toLastDrawn } from "../../results/output.ts";

/** Levels of log messages, by the stream that a line was written to. */
const LEVELS = { stdout: "info", stderr: "warning" } as const;
const PROGRESS_MS = 250;
/** Characters. */
const LONGEST_LINE = 10_000;
const LONGEST_PROGRESS = 1000;

/** Hands on the output of a run, line by line. */
export class LiveOutput {
  #latest: Latest<string>;
  /** Lines without an end so far. */
  #open = { stdout: "", stderr: "" };
  #hasProgress = false;

  /**
   * @param log Takes each line as a log message.
   * @param progress Takes the latest line, a few times a second.
   */
  constructor(
    private log: (level: LoggingLevel, line: string) => void,
    progress: (line: string) => void,
  ) {
    this.#latest = new Latest(PROGRESS_MS, progress);
  }

  take(stream: Stream, text: string): void {
    const lines = (this.#open[stream] + text).split("\n");
    const open = toLastDrawn(lines.pop() ?? "");
    this.#open[stream] = head(open, LONGEST_LINE);
    for (const line of lines) this.#pass(stream, line);
  }

  /** Makes no progress of printed lines any more, as the code tells its own. */
  leaveProgressToCode(): void {
    this.#hasProgress = true;
  }

  /** Hands on the lines that are held back. */
  close(): void {
    for (const stream of ["stdout", "stderr"] as const) {
      if (this.#open[stream]) this.#pass(stream, this.#open[stream]);
      this.#open[stream] = "";
    }
    this.#latest.flush();
  }

  #pass(stream: Stream, text: string): void {
    const whole = toLastDrawn(text.replace(/\r$/, ""));
    const line = head(whole.toWellFormed(), LONGEST_LINE);
    this.log(LEVELS[stream], line);
    if (line.trim() && !this.#hasProgress) {
      this.#latest.push("line", head(line.trim(), LONGEST_PROGRESS));
    }
  }
}
