/// <reference lib="dom" />
import { element, find } from "../page/elements.ts";
import { formatCount } from "../page/locale.ts";

/** The code of the run, which a user runs again, as it is or changed. */
export class CodeCard {
  #card = find("code", HTMLDetailsElement);
  #title = find("code-title", HTMLElement);
  #place = find("code-lines", HTMLElement);
  #text = find("code-text", HTMLTextAreaElement);
  #again = find("again", HTMLButtonElement);
  #edit = find("edit", HTMLButtonElement);
  #run = find("run-edited", HTMLButtonElement);
  #cancel = find("cancel-edit", HTMLButtonElement);
  #code = "";

  constructor(private options: { run(code: string): void }) {
    this.#again.onclick = () => options.run(this.#code);
    this.#edit.onclick = () => this.#open(true);
    this.#run.onclick = () => this.#runEdited();
    this.#cancel.onclick = () => {
      this.#open(false);
      this.#edit.focus();
    };
    this.#text.onkeydown = (event) => {
      const isRun = event.ctrlKey || event.metaKey || event.shiftKey;
      if (event.key === "Enter" && isRun) {
        event.preventDefault();
        this.#runEdited();
      }
      if (event.key === "Escape") this.#cancel.click();
    };
  }

  /** @param marked A line to show, the first is 1. */
  show(code: string, marked?: number): void {
    this.#code = code;
    const lines = code.split("\n");
    const unit = lines.length === 1 ? "line" : "lines";
    this.#title.textContent = `Code · ${formatCount(lines.length)} ${unit}`;
    this.#place.replaceChildren(...lines.map((text, at) =>
      element("li", {
        className: at + 1 === marked ? "marked" : "",
        ariaCurrent: at + 1 === marked ? "true" : null,
      }, text)
    ));
    this.#card.hidden = code === "";
    if (marked !== undefined) this.#card.open = true;
    this.#open(false);
  }

  /** Shows a line of the code. */
  goTo(line: number): void {
    this.#card.open = true;
    const found = this.#place.children[line - 1];
    if (!(found instanceof HTMLElement)) return;
    found.tabIndex = -1;
    found.focus();
  }

  /**
   * @param canRun Whether the chat calls tools for this app, and none is under way.
   * @param options.isUsers Whether a user has started or stopped the run that ends,
   * and so has lost the focus.
   */
  offer(canRun: boolean, { isUsers = false } = {}): void {
    for (const button of [this.#again, this.#edit]) button.hidden = !canRun;
    if (!canRun) return this.#open(false);
    const { activeElement: active, body } = document;
    const isLost = active === body || !active?.checkVisibility();
    // The chat keeps a focus of its own.
    if (isUsers && isLost && document.hasFocus()) {
      this.#again.focus({ preventScroll: true });
    }
  }

  #open(isEditing: boolean): void {
    const parts = [this.#text, this.#run, this.#cancel];
    for (const part of parts) part.hidden = !isEditing;
    this.#place.hidden = isEditing;
    if (!isEditing) return;
    this.#card.open = true;
    this.#text.value = this.#code;
    this.#text.rows = Math.min(20, this.#code.split("\n").length + 1);
    this.#text.focus();
  }

  #runEdited(): void {
    if (!this.#run.hidden) this.options.run(this.#text.value);
  }
}
