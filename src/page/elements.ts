/// <reference lib="dom" />

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
  made.append(...children);
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

/** A table of texts. */
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
