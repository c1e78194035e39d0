/// <reference lib="dom" />
import { element, find, formatTime, note } from "./elements.ts";
import { type Fields, fieldsOf } from "./mcp_client.ts";
import { Printed } from "./printed.ts";
import {
  errorSection,
  resultOf,
  type ResultsOptions,
  showResults,
  toWords,
} from "./results.ts";
import type { RunRecord } from "./run_record.ts";

const TICK_MS = 100;

export interface RunOptions extends ResultsOptions {
  /** Puts the code back into the editor. */
  edit(code: string): void;
  remove(): void;
}

/** A run: its code, and what it gives, while it runs and when it has ended. */
export class RunView {
  #status = find("status", HTMLElement);
  #time = find("time", HTMLElement);
  #scroller = find("output-scroll", HTMLElement);
  #results = element("div", { className: "results", ariaLive: "polite" });
  #took = element("span", { className: "quiet" });
  readonly printed = new Printed(this.#scroller);
  readonly element: HTMLElement;
  #started = performance.now();
  #timer?: ReturnType<typeof setTimeout>;

  constructor(readonly record: RunRecord, private options: RunOptions) {
    const { number, code } = record;
    const button = (label: string, text: string, onclick: () => void) =>
      element("button", {
        ...{ className: "plain", type: "button", onclick },
        ...{ ariaLabel: label, title: label, textContent: text },
      });
    const heading = element("h3", {}, `[${number}]`);
    heading.ariaLabel = `Run ${number}`;
    this.element = element(
      "article",
      { className: "run", ariaLabel: `Run ${number}` },
      element(
        "div",
        { className: "run-head" },
        heading,
        showCode(code),
        this.#took,
        button(`Edit run ${number}`, "Edit", () => options.edit(code)),
        button(`Remove run ${number}`, "✕", () => options.remove()),
      ),
      this.printed.element,
      this.#results,
    );
  }

  start(): void {
    this.#setStatus("Running", "running");
    this.#timer = setInterval(() => this.#showTime(), TICK_MS);
    // On a phone, it is below the code.
    find("output", HTMLElement).scrollIntoView({ block: "nearest" });
    this.#scrollTo(this.element);
  }

  /** Says what a run waits for that has printed nothing yet. */
  takeProgress(message: string): void {
    if (this.printed.count > 0) return;
    this.#setStatus(message || "Running", "running");
  }

  finish(answer: Fields): void {
    const { status } = resultOf(answer);
    const isGood = status === "success";
    this.#end(toWords(String(status)), isGood ? "good" : "bad");
    this.record.answer = answer;
    const isShown = this.#show();
    const part = this.printed.count > 0 ? this.#results : this.element;
    this.#scrollTo(part);
    // Pictures have their sizes then, and a long value is there.
    void isShown.then(() => this.#pictures()).then(() => this.#scrollTo(part));
  }

  fail(status: string, error: string): void {
    this.#end(status, "bad");
    this.record.failed = { status, error };
    void this.#show();
    this.#scrollTo(this.#results);
  }

  /** Shows a run that has ended before the page was loaded; settles once it is drawn. */
  async restore(): Promise<void> {
    for (const line of this.record.lines) this.printed.add(line);
    this.printed.flush();
    await this.#show();
    await this.#pictures();
  }

  async #show(): Promise<void> {
    const { answer, failed, ms } = this.record;
    this.#took.textContent = formatTime(ms);
    this.#results.replaceChildren();
    if (failed) this.#results.append(errorSection(failed, this.options));
    if (!answer) return;
    try {
      const result = resultOf(answer);
      if (fieldsOf(result.truncated).output === undefined) {
        this.#showOutput(result.output);
      }
      await showResults(this.#results, answer, this.options);
    } catch (error) {
      this.#results.append(note(Object(error).message));
    }
  }

  #end(status: string, look: string): void {
    clearInterval(this.#timer);
    this.#showTime();
    this.#setStatus(status, look);
    this.printed.flush();
    this.record.ms = performance.now() - this.#started;
    this.record.lines = this.printed.lines;
  }

  #showTime(): void {
    this.#time.textContent = formatTime(performance.now() - this.#started);
  }

  #setStatus(text: string, look: string): void {
    this.#status.textContent = text;
    this.#status.className = look;
  }

  /** The result's output stands for lines that have not come as they were printed. */
  #showOutput(output: unknown): void {
    const lines = Array.isArray(output) ? output.map(String) : [];
    if (lines.length === this.printed.count) return;
    this.printed.clear();
    for (const text of lines) this.printed.add({ text });
    this.printed.flush();
    this.record.lines = this.printed.lines;
  }

  /** Settles once pictures have their sizes. */
  async #pictures(): Promise<void> {
    const pictures = [...this.#results.querySelectorAll("img")];
    await Promise.allSettled(pictures.map((picture) => picture.decode()));
  }

  /** Shows as much as there is room for below the start of a part. */
  #scrollTo(part: HTMLElement): void {
    const { top } = part.getBoundingClientRect();
    this.#scroller.scrollTop += top -
      this.#scroller.getBoundingClientRect().top;
  }
}

/** Code, of which a reader sees the first line. */
function showCode(code: string): HTMLElement {
  const lines = code.trim().split("\n");
  const first = element("code", {}, lines[0] ?? "");
  if (lines.length < 2) return first;
  const more = element(
    "span",
    { className: "quiet" },
    ` ⋯ ${lines.length} lines`,
  );
  return element(
    "details",
    {},
    element("summary", {}, first, more),
    element("pre", {}, code.trim()),
  );
}
