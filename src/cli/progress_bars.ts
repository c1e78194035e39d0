import { MultiBar, type SingleBar } from "../../deps/cli_progress.ts";
import type { Bars, Download, Screen } from "./download_bars.ts";
import { toBar } from "./bar.ts";

/** Time between two drawings. */
const FRAME_MS = 100;
const ERASE_REST = "\x1b[K";
const ERASE_BELOW = "\x1b[J";

/**
 * Draws bars on a terminal, no more than fit.
 *
 * Between two drawings the cursor rests below the bars: whatever ends this
 * process, what comes next stands on a line of its own.
 */
export function openBars(screen: Screen): Bars {
  const downloads = new Map<string, Download>();
  const shown = new Map<string, SingleBar>();
  let pending = "";
  let isBelow = false;
  let drawn = -Infinity;

  const stream = {
    isTTY: true,
    get columns() {
      return screen.size().columns;
    },
    write(text: string) {
      pending += text;
      return true;
    },
  };
  const bars = new MultiBar<{ file: string }>({
    stream,
    // Each draws itself anew, as lines above may have moved it.
    forceRedraw: true,
    clearOnComplete: true,
    gracefulExit: false,
    hideCursor: false,
    linewrap: true,
    // It would redraw by itself, and nothing would be new.
    fps: 0.1,
    format: (_options, _parameters, { file }) => {
      const download = downloads.get(file);
      return download ? toBar(download, screen.size().columns) : "";
    },
  });
  bars.on("update-post", flush);

  return {
    log(text) {
      for (const line of text.split("\n")) bars.log(`${line}${ERASE_REST}\n`);
      bars.update();
    },
    show(download) {
      downloads.set(download.file, download);
      if (!shown.has(download.file)) fill();
      else if (download.now - drawn < FRAME_MS) return;
      drawn = download.now;
      bars.update();
    },
    remove(file) {
      downloads.delete(file);
      const bar = shown.get(file);
      if (!bar) return;
      shown.delete(file);
      bars.remove(bar);
      fill();
      bars.update();
      // It leaves the last one's line as it was.
      if (shown.size === 0) pending += ERASE_BELOW;
      flush();
    },
    [Symbol.dispose]() {
      bars.stop();
      shown.clear();
      flush();
    },
  };

  /** Gives bars to downloads that have none, while there is room. */
  function fill(): void {
    // The cursor needs a line, and the last thing said should be seen.
    const room = Math.max(1, screen.size().rows - 2);
    for (const file of downloads.keys()) {
      if (shown.size >= room) return;
      if (shown.has(file)) continue;
      shown.set(file, bars.create(1, 0, { file }));
    }
  }

  function flush(): void {
    if (pending === "") return;
    const up = isBelow ? "\x1b[1A" : "";
    isBelow = shown.size > 0;
    const text = `${up}${pending}${isBelow ? "\n" : ""}`;
    pending = "";
    screen.write(text);
  }
}
