import { log } from "../../../src/log.ts";
import type { Tally } from "./tally.ts";

/** Lines of a log that there are in all. */
const LINES = 20;
/** Columns of a bar. */
const WIDTH = 24;
const encoder = new TextEncoder();

/** Shows how far a long work is. */
export interface Progress extends Disposable {
  /** To be called when something has changed. */
  show(): void;
}

/** A bar on a terminal, else a line now and then. */
export function openProgress(
  total: number,
  tally: Tally,
  faults: () => number,
): Progress {
  const text = () => {
    const { lost, wrong } = tally.all;
    return `${tally.ended}/${total} runs, ${faults()} faults, ${lost} lost, ${wrong} wrong`;
  };
  return Deno.stderr.isTerminal()
    ? openBar(() => tally.ended / total, text)
    : openLog(() => tally.ended / total, text);
}

function openLog(share: () => number, text: () => string): Progress {
  let lines = 0;
  return {
    show() {
      if (share() * LINES < lines + 1) return;
      lines = Math.floor(share() * LINES);
      log(text());
    },
    [Symbol.dispose]() {},
  };
}

function openBar(share: () => number, text: () => string): Progress {
  const show = () => {
    const full = Math.min(WIDTH, Math.round(share() * WIDTH));
    const bar = `${"█".repeat(full)}${"░".repeat(WIDTH - full)} ${text()}`;
    const line = bar.slice(0, Deno.consoleSize().columns - 1);
    Deno.stderr.writeSync(encoder.encode(`\r${line}\x1b[K`));
  };
  return { show, [Symbol.dispose]: () => log("") };
}
