/// <reference lib="dom" />
import { maybeCsvCode } from "./csv_code.ts";
import { find } from "./elements.ts";
import { forget, keep, maybeKept } from "./kept.ts";
import { forgetRun, keepRun, keptRuns, type RunRecord } from "./run_record.ts";
import { type RunOptions, RunView } from "./run_view.ts";

/** Runs on the page; older ones go. */
const MOST_RUNS = 50;

const RELOADED = {
  status: "Stopped",
  error: "The page was loaded again while the code ran.",
};

/** The number of the run that is being shown as the page is loaded. */
const SHOWING = "showing";

const STOPPED = {
  status: "Not shown",
  error:
    "The page stopped as it showed the results of this run. Run it again to see them.",
};

type HistoryOptions = Pick<RunOptions, "mcp" | "edit"> & {
  goTo(line: number, code: string): void;
  /** Runs code of the page's own. */
  run(code: string): void;
};

/** The runs of this tab, the latest last, as in a notebook; they outlast a reload. */
export class History {
  #place = find("runs", HTMLElement);
  #empty = find("empty", HTMLElement);
  #views: RunView[] = [];

  constructor(private options: HistoryOptions) {
    const views = keptRuns().slice(-MOST_RUNS).map((run) => this.#add(run));
    void this.#restore(views);
  }

  /**
   * Shows the runs one by one. A run at which the page stopped the last time, as by a
   * picture that takes a browser minutes to draw, is not shown again.
   */
  async #restore(views: RunView[]): Promise<void> {
    const stopped = maybeKept(SHOWING);
    // A page that answers is left for another reason.
    addEventListener("pagehide", () => forget(SHOWING));
    for (const view of views) {
      if (`${view.record.number}` === stopped) {
        Object.assign(view.record, { answer: undefined, failed: STOPPED });
        keepRun(view.record);
      }
      keep(SHOWING, `${view.record.number}`);
      await view.restore();
      view.element.scrollIntoView();
      await nextFrame();
    }
    forget(SHOWING);
  }

  /** Begins a run. */
  start({ code, inSession }: Pick<RunRecord, "code" | "inSession">): RunView {
    const number = (this.#views.at(-1)?.record.number ?? 0) + 1;
    const record = { number, code, inSession, ms: 0, lines: [] };
    const view = this.#add(record);
    keepRun({ ...record, failed: RELOADED });
    view.start();
    const [oldest] = this.#views;
    if (oldest && this.#views.length > MOST_RUNS) this.#remove(oldest);
    return view;
  }

  keep({ record }: RunView): void {
    if (this.#views.some((view) => view.record === record)) keepRun(record);
  }

  /** Removes all runs. */
  clear(): void {
    for (const view of [...this.#views]) this.#remove(view);
    find("status", HTMLElement).textContent = "";
    find("time", HTMLElement).textContent = "";
  }

  #add(record: RunRecord): RunView {
    const { mcp, goTo, edit, run } = this.options;
    const csv = record.inSession ? maybeCsvCode(record.code) : undefined;
    const view: RunView = new RunView(record, {
      ...{ mcp, edit, goTo: (line) => goTo(line, record.code) },
      writeAll: csv === undefined ? undefined : () => run(csv),
      remove: () => this.#remove(view),
    });
    this.#views.push(view);
    this.#place.append(view.element);
    this.#empty.hidden = true;
    return view;
  }

  #remove(view: RunView): void {
    forgetRun(view.record.number);
    this.#views = this.#views.filter((other) => other !== view);
    view.element.remove();
    this.#empty.hidden = this.#views.length > 0;
  }
}

/** Resolves once what is on the page is drawn. */
function nextFrame(): Promise<void> {
  return new Promise((resolve) =>
    requestAnimationFrame(() => setTimeout(resolve))
  );
}
