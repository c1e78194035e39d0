/// <reference lib="dom" />
import { formatDecimal } from "./locale.ts";
import { toVisible } from "./visible_text.ts";

type Tag = keyof HTMLElementTagNameMap;
type Properties<T extends Tag> = Partial<
  Omit<HTMLElementTagNameMap[T], "innerHTML" | "outerHTML">
>;

/**
 * Creates an element. A text is a text, whatever it holds: no part of this page
 * reads markup, as all that Python gives may be an attack.
 */
export function element<T extends Tag>(
  tag: T,
  properties: Properties<T> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[T] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(
    ...children.map((child) =>
      typeof child === "string" ? toVisible(child) : child
    ),
  );
  return made;
}

/** The element of an id, which the page's HTML has. */
export function find<T extends HTMLElement>(
  id: string,
  type: abstract new () => T,
): T {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new TypeError(`The page has no ${type.name} "${id}"`);
}

/** A paragraph; its class says how it looks. */
export function note(text: unknown, className = "note"): HTMLElement {
  return element("p", { className }, String(text));
}

export function table(
  headings: readonly string[],
  rows: readonly (readonly (Node | string)[])[],
): HTMLElement {
  const head = headings.map((text) => element("th", { scope: "col" }, text));
  const body = rows.map((cells) =>
    element("tr", {}, ...cells.map((cell) => element("td", {}, cell)))
  );
  return element(
    "div",
    { className: "scrolls", tabIndex: 0 },
    element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...body),
    ),
  );
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(3, Math.floor(Math.log2(bytes) / 10));
  const amount = bytes / 1024 ** power;
  const digits = amount < 10 ? 1 : 0;
  return `${formatDecimal(amount, { least: digits })} ${
    ["B", "KiB", "MiB", "GiB"][power]
  }`;
}

export function formatTime(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${formatDecimal(ms / 1000, { most: 2 })} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor(ms / 1000) % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
