/// <reference lib="dom" />
import { type Fields, fieldsOf, listOf } from "../page/mcp_client.ts";
import { resultOf } from "../page/results.ts";
import type { Host } from "./host.ts";

/** The text of each page that an answer brings, by its address. */
function pagesIn(answer: Fields): Map<string, string> {
  return new Map(
    listOf(answer.content).map(({ resource }) => fieldsOf(resource))
      .filter(({ mimeType }) => `${mimeType}`.startsWith("text/html"))
      .map(({ uri, text }) => [`${uri}`, `${text}`]),
  );
}

/** An answer that lists its pages, as a server may give no structured content. */
export function withPages(answer: Fields): Fields {
  if (answer.structuredContent !== undefined) return answer;
  const pages = [...pagesIn(answer)]
    .map(([uri, { length: size }]) => ({ uri, size }));
  return { ...answer, structuredContent: { ...resultOf(answer), pages } };
}

/** Reads what an answer brings, and the rest by the chat. */
export function readerOf(
  answer: Fields,
  host: Pick<Host, "read">,
): Pick<Host, "read"> {
  const pages = pagesIn(answer);
  return {
    async read(uri) {
      const text = pages.get(uri);
      return text === undefined ? await host.read(uri) : { text };
    },
  };
}
