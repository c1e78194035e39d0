/// <reference lib="dom" />
import { element, find } from "./elements.ts";

/** Lines on the page; a reader does not want more, and a browser is slow with them. */
const MOST_LINES = 2000;

/** The output of a run while it runs. */
export class Printed {
  /** Lines of the run, those that were dropped from the page included. */
  count = 0;
  #waiting: HTMLElement[] = [];
  #frame = 0;

  #place = find("log", HTMLElement);
  #scroller = find("output-scroll", HTMLElement);

  clear(): void {
    this.#waiting = [];
    this.count = 0;
    this.#place.replaceChildren();
    this.#place.hidden = true;
  }

  add(line: string, level = "info"): void {
    this.count++;
    const className = level === "warning" ? "warning" : "";
    this.#waiting.push(element("span", { className }, `${line}\n`));
    if (this.#waiting.length > MOST_LINES) this.#waiting.shift();
    this.#frame ||= requestAnimationFrame(() => this.flush());
  }

  /** Shows the lines that wait for the next frame. */
  flush(): void {
    this.#frame = 0;
    if (this.#waiting.length === 0) return;
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const isAtEnd = scrollTop + clientHeight > scrollHeight - 30;
    this.#place.hidden = false;
    this.#place.append(...this.#waiting.splice(0));
    while (this.#place.childElementCount > MOST_LINES) {
      this.#place.firstElementChild?.remove();
    }
    if (isAtEnd) this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }
}
