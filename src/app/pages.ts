/// <reference lib="dom" />
import { toFramedPage } from "../frames/to_framed_page.ts";
import { element, note } from "../page/elements.ts";
import { type Fields, fieldsOf, listOf } from "../page/mcp_client.ts";
import { resultOf, section } from "../page/results.ts";
import type { Host } from "./host.ts";

/** Shows the pages of an answer, such as living charts; reads those that it names only. */
export async function showPages(
  place: HTMLElement,
  answer: Fields,
  host: Pick<Host, "read">,
): Promise<void> {
  const given = new Map(
    listOf(answer.content).map(({ resource }) => fieldsOf(resource))
      .filter(({ mimeType }) => `${mimeType}`.startsWith("text/html"))
      .map(({ uri, text }) => [`${uri}`, text]),
  );
  const listed = listOf(resultOf(answer).pages);
  // In a chat that keeps no structured content, the blocks are all.
  const pages = listed.length > 0
    ? listed
    : [...given.keys()].map((uri) => ({ uri }) as Fields);
  for (const { uri, title, about } of pages) {
    const name = String(title || about || "Page");
    try {
      const text = given.get(`${uri}`) ??
        (await host.read(`${uri}`)).text ?? "";
      place.append(section(name, showPage(`${text}`, name)));
    } catch (error) {
      place.append(note(`${name}: ${Object(error).message}`));
    }
  }
}

/** A page of Python's, which reaches neither this app nor a network. */
export function showPage(html: string, title: string): HTMLElement {
  const frame = element("iframe", {
    className: "own-page",
    title,
    srcdoc: toFramedPage(html, { title }),
  });
  frame.setAttribute("sandbox", "allow-scripts");
  return frame;
}
