/// <reference lib="dom" />
import { element } from "./elements.ts";
import { formatCount } from "./locale.ts";
import { longText } from "./long_text.ts";

/** Members of a list or an object that are shown at once. */
const STEP = 100;
/** Characters of a member that stands beside its name. */
const SHORT = 60;

/** A value of JSON as a tree whose branches a reader opens; they are made then. */
export function showTree(value: object): HTMLElement {
  const tree = element("div", { className: "tree" });
  addMembers(tree, value);
  return tree;
}

/** Gives the first of the branches that it has added. */
function addMembers(
  place: HTMLElement,
  value: object,
  from = 0,
): HTMLElement | undefined {
  const members = Object.entries(value);
  const made = members.slice(from, from + STEP)
    .map(([name, one]) => toBranch(name, one));
  place.append(...made);
  const left = members.length - from - STEP;
  if (left <= 0) return made[0];
  const more = element("button", {
    className: "plain",
    type: "button",
    textContent: `⋯ ${formatCount(left)} more`,
    onclick: () => {
      more.remove();
      const next = addMembers(place, value, from + STEP);
      const part = next?.querySelector("summary") ?? next;
      if (part?.tagName === "DIV") part.tabIndex = -1;
      part?.focus();
    },
  });
  place.append(more);
  return made[0];
}

function toBranch(name: string, value: unknown): HTMLElement {
  const key = element("span", { className: "quiet" }, `${name}: `);
  const isBranch = typeof value === "object" && value !== null;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.length <= SHORT) return element("div", {}, key, toCode(value, text));
  const kind = isBranch ? toKind(value) : `${text.slice(0, SHORT)}…`;
  const summary = element("summary", {}, key, element("code", {}, kind));
  const made = element("details", {}, summary);
  made.addEventListener("toggle", () => {
    if (isBranch) addMembers(made, value);
    else made.append(longText(text));
  }, { once: true });
  return made;
}

function toCode(value: unknown, text: string): HTMLElement {
  const className = typeof value === "string" ? "text" : "";
  return element("code", { className }, text);
}

function toKind(value: object): string {
  const count = Object.keys(value).length;
  const items = count === 1 ? "item" : "items";
  return Array.isArray(value)
    ? `[ ${formatCount(count)} ${items} ]`
    : `{ ${Object.keys(value).slice(0, 4).join(", ")}${
      count > 4 ? ", …" : ""
    } }`;
}
