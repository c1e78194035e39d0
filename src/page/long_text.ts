/// <reference lib="dom" />
import { element } from "./elements.ts";
import { formatCount } from "./locale.ts";
import { toVisible } from "./visible_text.ts";

/** Characters that a browser lays out at once. */
export const AT_ONCE = 20_000;

/**
 * A text as it is; of a long text the start, and a button for the whole.
 *
 * @param properties Of the element that has the text.
 */
export function longText(
  text: string,
  properties: { className?: string; tabIndex?: number } = {},
): HTMLElement {
  const pre = element("pre", properties, text.slice(0, AT_ONCE));
  if (text.length <= AT_ONCE) return pre;
  const all = element("button", {
    className: "plain",
    type: "button",
    textContent: `⋯ all ${formatCount(text.length)} characters`,
    onclick: () => {
      all.remove();
      pre.textContent = toVisible(text);
      pre.tabIndex = properties.tabIndex ?? -1;
      pre.focus();
    },
  });
  return element("div", {}, pre, all);
}
