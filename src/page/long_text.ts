/// <reference lib="dom" />
import { element } from "./elements.ts";

/** Characters that a browser lays out at once. */
const AT_ONCE = 20_000;

/** A text as it is; of a long text the start, and a button for the whole. */
export function longText(text: string): HTMLElement {
  const pre = element("pre", {}, text.slice(0, AT_ONCE));
  if (text.length <= AT_ONCE) return pre;
  const all = element("button", {
    className: "plain",
    type: "button",
    textContent: `⋯ all ${text.length.toLocaleString("en")} characters`,
    onclick: () => {
      all.remove();
      pre.replaceChildren(...element("span", {}, text).childNodes);
      pre.focus();
    },
  });
  return element("div", {}, pre, all);
}
