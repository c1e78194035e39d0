/// <reference lib="dom" />
import { TOKEN, toSnippets } from "./client_snippets.ts";
import { copyText } from "./copy_text.ts";
import { element, find } from "./elements.ts";

/** Shows how clients connect with this server. */
export function showSnippets(url: string, hasToken: boolean): void {
  find("connect-url", HTMLElement).textContent = url;
  find("connect-token", HTMLElement).textContent = hasToken
    ? `Write a token of this server in the place of ${TOKEN}.`
    : "This server asks for no token.";
  const cards = toSnippets(url, hasToken).map(({ client, place, text }) => {
    const pre = element(
      "pre",
      { tabIndex: 0, ariaLabel: `For ${client}` },
      text,
    );
    const copy = element("button", {
      type: "button",
      ariaLabel: `Copy for ${client}`,
      textContent: "Copy",
      onclick: () => void copyFrom(pre, copy),
    });
    return element(
      "section",
      { className: "card", ariaLabel: client },
      element(
        "div",
        { className: "row" },
        element("h2", {}, client),
        element("span", { className: "quiet grow" }, place),
        copy,
      ),
      pre,
    );
  });
  find("connect-cards", HTMLElement).replaceChildren(...cards);
}

async function copyFrom(pre: HTMLElement, button: HTMLElement): Promise<void> {
  if (await copyText(pre.textContent ?? "")) button.textContent = "Copied";
  else {
    getSelection()?.selectAllChildren(pre);
    button.textContent = "Selected";
  }
}
