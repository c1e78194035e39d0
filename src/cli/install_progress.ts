import { maybe } from "../errors.ts";
import { toTurn } from "../environments/install_steps.ts";
import type { InstallEvent } from "../environments/phase_1/messages.ts";
import { printable, toLabel, writeAll } from "../log.ts";
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

/** Time after a line of a log until the next says that the work goes on. */
const LOG_MS = 5_000;
/** Time after which a step shows on a terminal that it goes on. */
const PATIENCE_MS = 500;
/** Time between two drawings on a terminal. */
const FRAME_MS = 100;
/** Time between two looks at the work for a log. */
const LOOK_MS = 500;
const SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const ERASE_LINE_ABOVE = "\x1b[1A\x1b[2K\r";
const encoder = new TextEncoder();

const STDERR: Screen = {
  isTerminal: Deno.stderr.isTerminal(),
  hasColors: !Deno.noColor,
  columns: () => maybe(() => Deno.consoleSize().columns) ?? 80,
  write: (text) => writeAll(Deno.stderr, encoder.encode(text)),
};

/**
 * Shows progress on stderr: lines, and on a terminal one more line below them,
 * which is redrawn while downloads run or a step takes long.
 *
 * Between two drawings the cursor rests below that line: if this process is
 * killed, the shell's prompt stands on a line of its own.
 *
 * @param options.now A clock in ms.
 * @param options.repeat Does work again and again, until it is stopped.
 */
export function openProgress(
  { screen = STDERR, now = () => performance.now(), repeat = repeatWork }: {
    screen?: Screen;
    now?: () => number;
    repeat?: (work: () => void, ms: number) => Disposable;
  } = {},
): Progress {
  const downloads = new Map<string, Download>();
  /** The step under way, and its text beside the time. */
  let step: { text: string; label: string; since: number } | undefined;
  const pulse = repeat(showLife, screen.isTerminal ? FRAME_MS : LOOK_MS);
  let isShown = false;
  let drawn = -Infinity;
  const colors = { hasColors: screen.isTerminal && screen.hasColors };
  /** When the running downloads began, and how many bytes had come before. */
  let start = { time: 0, received: 0 };

  return {
    report(event) {
      switch (event.type) {
        case "step":
          step = { text: event.text, label: "", since: now() };
          return say(event.text);
        case "warning":
          return say(event.text, toLabel("warning", colors));
        case "package": {
          const text = toTurn(event);
          step = { text, label: printable(`${text}  `), since: now() };
          return;
        }
        case "downloads":
          for (const { file, size: total } of event.files) {
            if (downloads.has(file)) continue;
            downloads.set(file, { received: 0, total, state: "expected" });
          }
          return;
        case "download": {
          const { file, received, total } = event;
          const isFirst = !isRunning();
          downloads.set(file, { received, total, state: "running" });
          if (isFirst) start = { time: now(), received: receivedBytes() };
          return;
        }
        case "downloaded": {
          const { file, size, local } = event;
          downloads.set(file, { received: size, total: size, state: "done" });
          const done = local ? "Copied" : "Downloaded";
          return say(`${done} ${file} (${toSize(size)})`);
        }
      }
    },
    [Symbol.dispose]() {
      pulse[Symbol.dispose]();
      downloads.clear();
      step = undefined;
      draw("");
    },
  };

  function say(text: string, prefix = ""): void {
    draw(`${prefix}${printable(text)}\n`);
  }

  function showLife(): void {
    if (screen.isTerminal) return draw("");
    const running = downloads.entries()
      .filter(([, { state }]) => state === "running").toArray();
    const since = running.length > 0 ? start.time : step?.since ?? Infinity;
    if (now() - Math.max(drawn, since) < LOG_MS) return;
    for (const [file, download] of running) say(toSentence(file, download));
    if (running.length > 0 || !step) return;
    say(`${step.text}: ${secondsSince(step.since)} s so far`);
  }

  function secondsSince(time: number): number {
    return Math.floor((now() - time) / 1000);
  }

  /** Writes text in the place of the line that is redrawn, and that line below. */
  function draw(text: string): void {
    const erase = isShown ? ERASE_LINE_ABOVE : "";
    drawn = now();
    const line = screen.isTerminal ? toLine(screen.columns()) : "";
    isShown = line !== "";
    if (isShown || erase || text) {
      screen.write(erase + text + (isShown ? `${line}\n` : ""));
    }
  }

  /** The line that is redrawn, shorter than the terminal is wide; empty if there is nothing to show. */
  function toLine(columns: number): string {
    if (isRunning()) {
      const pace = {
        seconds: (drawn - start.time) / 1000,
        received: receivedBytes() - start.received,
      };
      return toDownloadLine([...downloads.values()], pace, columns);
    }
    const waited = step ? drawn - step.since : 0;
    if (!step || waited < PATIENCE_MS) return "";
    const frame = SPINNER[Math.floor(waited / FRAME_MS) % SPINNER.length];
    return `${frame} ${step.label}${secondsSince(step.since)} s`
      .slice(0, Math.max(0, columns - 1));
  }

  function isRunning(): boolean {
    return downloads.values().some(({ state }) => state === "running");
  }

  function receivedBytes(): number {
    return downloads.values().reduce((sum, one) => sum + one.received, 0);
  }
}

function repeatWork(work: () => void, ms: number): Disposable {
  const timer = setInterval(work, ms);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Does work whose progress is shown until it ends. */
export async function withProgress<T>(
  work: (report: Progress["report"]) => Promise<T>,
): Promise<T> {
  using progress = openProgress();
  return await work(progress.report);
}

function toSentence(file: string, { received, total }: Download): string {
  if (!total) return `Downloading ${file}: ${toSize(received)} so far`;
  const percent = Math.floor(Math.min(1, received / total) * 100);
  return `Downloading ${file}: ${percent}% of ${toSize(total)}`;
}

export interface Download {
  received: number;
  total?: number | undefined;
  state: "expected" | "running" | "done";
}

/** The bytes that came since the running downloads began. */
interface Pace {
  seconds: number;
  received: number;
}

/** A line about all downloads of an install, of less than `columns` columns. */
export function toDownloadLine(
  downloads: readonly Download[],
  pace: Pace,
  columns: number,
): string {
  const sum = (sizes: number[]) => sizes.reduce((all, size) => all + size, 0);
  const received = sum(downloads.map(({ received }) => received));
  const sizes = downloads.flatMap(({ total }) => total ?? []);
  const total = sizes.length === downloads.length ? sum(sizes) : undefined;
  const done = downloads.filter(({ state }) => state === "done").length;
  const current = Math.min(done + 1, downloads.length);
  const facts = [
    `Downloading ${current} of ${downloads.length}`,
    toSize(received) + (total === undefined ? "" : ` of ${toSize(total)}`),
  ];
  const rate = pace.received / pace.seconds;
  if (rate > 0) facts.push(`${toSize(rate)}/s`);
  if (rate > 0 && total !== undefined) {
    facts.push(toTime(Math.max(0, total - received) / rate));
  }
  // A full line would make some terminals begin another line.
  return facts.join("  ").slice(0, Math.max(0, columns - 1));
}

function toTime(seconds: number): string {
  const whole = Math.ceil(seconds);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${Math.floor(whole / 60)}:${two(whole % 60)}`;
}
