import type { Bars, Download, Screen } from "./download_bars.ts";
import type { InstallEvent } from "../environments/install_events.ts";
import { writeAll } from "../log.ts";
import { toSize } from "./sizes.ts";

/** Shows what goes on in an install; gone without a trace when disposed of. */
export interface Progress extends Disposable {
  report(event: InstallEvent): void;
}

/** What progress needs of the machine, so that a test can give its own. */
export interface ProgressOptions {
  screen?: Screen;
  /** A clock in ms. */
  now?: () => number;
  /** Loads what draws bars: only once there is something to draw. */
  loadBars?: () => Promise<{ openBars(screen: Screen): Bars }>;
}

/** Time between two lines about a download where there are no bars. */
const PATIENCE_MS = 5_000;
const encoder = new TextEncoder();

/** Standard error of this process. */
const STDERR: Screen = {
  isTerminal: Deno.stderr.isTerminal(),
  hasColors: !Deno.noColor,
  size() {
    try {
      return Deno.consoleSize();
    } catch {
      return { columns: 80, rows: 24 };
    }
  },
  write: (text) => writeAll(Deno.stderr, encoder.encode(text)),
};

/**
 * Shows progress on stderr: on a terminal bars, else lines alone.
 *
 * @example
 * ```ts ignore
 * using progress = openProgress();
 * await ensureEnvironment(settings, progress.report);
 * ```
 */
export function openProgress(
  {
    screen = STDERR,
    now = () => performance.now(),
    loadBars = () => import("./progress_bars.ts"),
  }: ProgressOptions = {},
): Progress {
  const downloads = new Map<string, Download & { told: number }>();
  let bars: Bars | undefined;
  let isLoading = false;
  let isOver = false;

  return {
    report(event) {
      switch (event.type) {
        case "step":
          return say(event.text);
        case "warning":
          return say(event.text, "warning: ");
        case "download":
          return follow(event.file, event);
        case "downloaded":
          downloads.delete(event.file);
          say(`Downloaded ${event.file} (${toSize(event.size)})`);
          bars?.remove(event.file);
      }
    },
    [Symbol.dispose]() {
      isOver = true;
      bars?.[Symbol.dispose]();
    },
  };

  function say(text: string, prefix = ""): void {
    const line = `${prefix && emphasis(prefix)}${printable(text)}`;
    if (bars) bars.log(line);
    else screen.write(`${line}\n`);
  }

  function emphasis(text: string): string {
    return screen.isTerminal && screen.hasColors
      ? `\x1b[1;33m${text}\x1b[0m`
      : text;
  }

  function follow(
    file: string,
    { received, total }: Pick<Download, "received" | "total">,
  ): void {
    const time = now();
    const { started, told } = downloads.get(file) ??
      { started: time, told: time };
    const known = total === undefined ? {} : { total };
    const download = { file, received, ...known, started, now: time };
    downloads.set(file, { ...download, told });
    if (bars) bars.show(download);
    else if (screen.isTerminal && !isLoading) load();
    else if (!screen.isTerminal && time - told >= PATIENCE_MS) {
      downloads.set(file, { ...download, told: time });
      say(toSentence(download));
    }
  }

  async function load(): Promise<void> {
    isLoading = true;
    try {
      const { openBars } = await loadBars();
      if (isOver) return;
      bars = openBars(screen);
      for (const download of downloads.values()) bars.show(download);
    } catch {
      // Deno could not download what draws them. Lines are still written.
    }
  }
}

/** Does work whose progress is shown until it ends. */
export async function withProgress<T>(
  work: (report: Progress["report"]) => Promise<T>,
): Promise<T> {
  using progress = openProgress();
  return await work(progress.report);
}

function toSentence({ file, received, total }: Download): string {
  return total
    ? `Downloading ${file}: ${
      Math.floor(Math.min(1, received / total) * 100)
    }% of ${toSize(total)}`
    : `Downloading ${file}: ${toSize(received)} so far`;
}

/** Without what would move a terminal's cursor; names come from anywhere. */
function printable(text: string): string {
  // deno-lint-ignore no-control-regex -- they are what it looks for
  return text.replace(/[\0-\x09\x0b-\x1f\x7f-\x9f]/g, "\ufffd");
}
