import guard from "./guard.html" with { type: "text" };
import template from "./framed_page.html" with { type: "text" };

/**
 * A whole page of HTML that shows HTML of Python in a sandboxed frame without
 * network: its scripts run, and reach nothing but that frame.
 *
 * @param html Whatever it holds, it stays in the frame.
 * @param options.title Plain text.
 */
export function toFramedPage(
  html: string,
  { title = "" }: { title?: string } = {},
): string {
  const page = guard + html.replace(UNGUARDED, "no$&");
  const values = new Map([["page", page], ["title", title]]);
  return template.replace(
    /\{(\w+)\}/g,
    (name, key) => escapeValue(values.get(key) ?? name),
  );
}

/** Names in markup of a document within the page, and of a link: the guard says why. */
const UNGUARDED = /srcdoc|(?<=<)link(?=[ \t\n\f\r/>])/gi;

/** Text within the quotes of an attribute, or of an element without markup. */
function escapeValue(text: string): string {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}
