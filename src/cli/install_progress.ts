import type { InstallEvent } from "../environments/install_events.ts";
import { toLabel, writeAll } from "../log.ts";
import { type Download, toDownloadLine } from "./download_line.ts";
import { toSize } from "./sizes.ts";

export interface Screen {
  isTerminal: boolean;
  hasColors: boolean;
  columns(): number;
  write(text: string): void;
}

/** Shows the events of an install; leaves only whole lines when disposed of. */
export interface Progress extends Disposable {
  report(event: InstallEvent): void;
}

/** Time between two lines about a download in a log. */
const LOG_MS = 5_000;
/** Time between two drawings on a terminal. */
const FRAME_MS = 100;
const ERASE_LINE_ABOVE = "\x1b[1A\x1b[2K\r";
const encoder = new TextEncoder();

const STDERR: Screen = {
  isTerminal: Deno.stderr.isTerminal(),
  hasColors: !Deno.noColor,
  columns() {
    try {
      return Deno.consoleSize().columns;
    } catch {
      return 80;
    }
  },
  write: (text) => writeAll(Deno.stderr, encoder.encode(text)),
};

/**
 * Shows progress on stderr: lines, and on a terminal one more line below them,
 * which is redrawn while downloads run.
 *
 * Between two drawings the cursor rests below that line: if this process is
 * killed, the shell's prompt stands on a line of its own.
 *
 * @param options.now A clock in ms.
 */
export function openProgress(
  { screen = STDERR, now = () => performance.now() }: {
    screen?: Screen;
    now?: () => number;
  } = {},
): Progress {
  const downloads = new Map<string, Download>();
  /** When a log last had a line about a download, or might have had its first. */
  const logged = new Map<string, number>();
  let isShown = false;
  let drawn = -Infinity;
  const colors = { hasColors: screen.isTerminal && screen.hasColors };
  /** When the running downloads began, and how many bytes had come before. */
  let start = { time: 0, received: 0 };

  return {
    report(event) {
      switch (event.type) {
        case "step":
          return say(event.text);
        case "warning":
          return say(event.text, toLabel("warning", colors));
        case "package":
          return;
        case "downloads":
          for (const { file, size: total } of event.files) {
            if (downloads.has(file)) continue;
            downloads.set(file, { received: 0, total, state: "expected" });
          }
          return;
        case "download":
          return follow(event.file, event);
        case "downloaded": {
          const { file, size } = event;
          downloads.set(file, { received: size, total: size, state: "done" });
          return say(`Downloaded ${file} (${toSize(size)})`);
        }
      }
    },
    [Symbol.dispose]() {
      downloads.clear();
      draw("");
    },
  };

  function say(text: string, prefix = ""): void {
    draw(`${prefix}${printable(text)}\n`);
  }

  function follow(
    file: string,
    { received, total }: Pick<Download, "received" | "total">,
  ): void {
    const time = now();
    const isFirst = !isRunning();
    downloads.set(file, { received, total, state: "running" });
    if (isFirst) start = { time, received: receivedBytes() };
    if (screen.isTerminal) {
      if (!isShown || time - drawn >= FRAME_MS) draw("");
    } else if (!logged.has(file)) {
      logged.set(file, time);
    } else if (time - Number(logged.get(file)) >= LOG_MS) {
      logged.set(file, time);
      say(toSentence(file, received, total));
    }
  }

  /** Writes text in the place of the line about downloads, and that line below. */
  function draw(text: string): void {
    const erase = isShown ? ERASE_LINE_ABOVE : "";
    isShown = screen.isTerminal && isRunning();
    drawn = now();
    const pace = {
      seconds: (drawn - start.time) / 1000,
      received: receivedBytes() - start.received,
    };
    const line = isShown
      ? toDownloadLine([...downloads.values()], pace, screen.columns()) + "\n"
      : "";
    if (erase || text || line) screen.write(erase + text + line);
  }

  function isRunning(): boolean {
    return downloads.values().some(({ state }) => state === "running");
  }

  function receivedBytes(): number {
    return downloads.values().reduce((sum, one) => sum + one.received, 0);
  }
}

/** Does work whose progress is shown until it ends. */
export async function withProgress<T>(
  work: (report: Progress["report"]) => Promise<T>,
): Promise<T> {
  using progress = openProgress();
  return await work(progress.report);
}

function toSentence(file: string, received: number, total?: number): string {
  if (!total) return `Downloading ${file}: ${toSize(received)} so far`;
  const percent = Math.floor(Math.min(1, received / total) * 100);
  return `Downloading ${file}: ${percent}% of ${toSize(total)}`;
}

/** Text without characters that move a terminal's cursor; names come from anywhere. */
function printable(text: string): string {
  // deno-lint-ignore no-control-regex -- the pattern is for them
  return text.replace(/[\0-\x09\x0b-\x1f\x7f-\x9f]/g, "\ufffd");
}
