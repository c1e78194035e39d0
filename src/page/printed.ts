/// <reference lib="dom" />
import { element } from "./elements.ts";
import { AT_ONCE, longText } from "./long_text.ts";
import type { PrintedLine } from "./run_record.ts";

/** Lines on the page; a reader does not want more, and a browser is slow with them. */
const MOST_LINES = 2000;

/** The output of a run while it runs. */
export class Printed {
  readonly element = element("pre", {
    className: "log",
    role: "log",
    ariaLive: "polite",
    ariaLabel: "Printed",
    hidden: true,
  });
  /** Lines of the run, those that were dropped from the page included. */
  count = 0;
  /** The last lines. */
  lines: PrintedLine[] = [];
  #waiting: HTMLElement[] = [];
  #frame = 0;

  #scroller: HTMLElement;

  /** @param scroller Its own element if absent. */
  constructor(scroller?: HTMLElement) {
    this.#scroller = scroller ?? this.element;
    if (!scroller) this.element.tabIndex = 0;
  }

  clear(): void {
    [this.#waiting, this.lines, this.count] = [[], [], 0];
    this.element.replaceChildren();
    this.element.hidden = true;
  }

  add({ text, isWarning = false }: PrintedLine): void {
    this.count++;
    this.lines.push(isWarning ? { text, isWarning } : { text });
    const className = isWarning ? "warning" : "";
    this.#waiting.push(
      element(
        "span",
        { className },
        ...text.length > AT_ONCE ? [longText(text)] : [`${text}\n`],
      ),
    );
    for (const list of [this.lines, this.#waiting]) {
      if (list.length > MOST_LINES) list.shift();
    }
    this.#frame ||= requestAnimationFrame(() => this.flush());
  }

  /** Shows the lines that wait for the next frame. */
  flush(): void {
    this.#frame = 0;
    if (this.#waiting.length === 0) return;
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const isAtEnd = scrollTop + clientHeight > scrollHeight - 30;
    this.element.hidden = false;
    this.element.append(...this.#waiting.splice(0));
    while (this.element.childElementCount > MOST_LINES) {
      this.element.firstElementChild?.remove();
    }
    if (isAtEnd) this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }
}
