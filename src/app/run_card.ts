/// <reference lib="dom" />
import { element, find, formatTime, note } from "../page/elements.ts";
import type { Fields } from "../page/mcp_client.ts";
import { Printed } from "../page/printed.ts";
import {
  errorSection,
  resultOf,
  type ResultsOptions,
  showResults,
  toWords,
} from "../page/results.ts";
import type { Host } from "./host.ts";
import { readerOf, withPages } from "./pages.ts";

const TICK_MS = 100;
/** A shorter time is that of a chat that shows an old call again. */
const SHORTEST_MS = 20;
const LOOKS: Readonly<Record<string, string>> = {
  ...{ success: "good", running: "running" },
};
const GOES_ON = "The run goes on: this chat shows its end elsewhere.";

/** The state of a run, what it prints, and what it gives. */
export class RunCard {
  #status = find("status", HTMLElement);
  #time = find("time", HTMLElement);
  #results = find("results", HTMLElement);
  #printed = new Printed();
  #started = 0;
  #timer?: ReturnType<typeof setInterval>;

  constructor(
    private options: Pick<ResultsOptions, "goTo" | "open"> & {
      host: Pick<Host, "read">;
    },
  ) {
    this.#results.before(this.#printed.element);
  }

  start(status: string): void {
    clearInterval(this.#timer);
    this.#printed.clear();
    this.#results.replaceChildren();
    this.#started = performance.now();
    this.#setStatus(status, "running");
    this.#time.textContent = "";
    this.#timer = setInterval(() => this.#showTime(), TICK_MS);
  }

  /** Adds lines that a run has printed meanwhile. */
  add(lines: readonly string[]): void {
    for (const text of lines) this.#printed.add({ text });
  }

  /** @param writeAll See `ResultsOptions`. */
  async finish(answer: Fields, writeAll?: () => void): Promise<void> {
    const result = resultOf(answer);
    const status = String(result.status);
    this.#end(toWords(status), LOOKS[status] ?? "bad");
    const { output } = result;
    if (Array.isArray(output)) {
      this.#printed.clear();
      this.add(output.map(String));
      this.#printed.flush();
    }
    const mcp = readerOf(answer, this.options.host);
    const options = { ...this.options, mcp, writeAll, isInApp: true };
    // An answer that comes meanwhile takes it away, with what is yet to come.
    const place = element("div", { className: "answer" });
    this.#results.append(place);
    if (status === "running") place.append(note(GOES_ON));
    await showResults(place, withPages(answer), options);
  }

  fail(status: string, error: string): void {
    this.#end(status, "bad");
    this.#results.append(errorSection({ status, error }, this.options));
  }

  #end(status: string, look: string): void {
    clearInterval(this.#timer);
    this.#showTime();
    this.#setStatus(status, look);
    this.#printed.flush();
    this.#results.replaceChildren();
  }

  #showTime(): void {
    const ms = this.#started > 0 ? performance.now() - this.#started : 0;
    this.#time.textContent = ms < SHORTEST_MS ? "" : formatTime(ms);
  }

  #setStatus(text: string, look: string): void {
    this.#status.textContent = text;
    this.#status.className = look;
  }
}
