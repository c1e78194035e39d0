import type { ContentBlock } from "../../deps/mcp_server.ts";
import {
  bytesOf,
  type DisplayedPage,
  PAGE_TYPE,
} from "../protocol/displays.ts";
import type { RunFile } from "../protocol/run_files.ts";
import type { Page } from "../protocol/run_result.ts";
import { count } from "./cut.ts";
import type { KeptFile } from "./result_files.ts";

/** The start of names that nothing is to be read at. */
const NAMES = "run-python://pages/";

/** Names a page by its place after the pages of the same run. */
export function toPage(display: DisplayedPage, before: readonly Page[]): Page {
  const { title, about, data: html } = display;
  const uri = `${NAMES}${nameOf(before.length)}`;
  return { uri, title, about, size: bytesOf(display), html };
}

/** The files of pages, in their order. */
export function toPageFiles(pages: readonly Page[]): RunFile[] {
  return pages.map(({ html }, at) => ({
    path: nameOf(at),
    bytes: encoder.encode(html),
  }));
}

/** Pages with the addresses at which their files are kept. */
export function withAddresses(
  pages: readonly Page[],
  files: readonly KeptFile[],
): Page[] {
  return pages.map((page, at) => ({
    ...page,
    uri: files[at]?.uri ?? page.uri,
  }));
}

/**
 * A block of a page, for the user alone: the page itself for a client that shows
 * pages, else a link, as many a client hands text to its model; undefined if a link
 * would lead nowhere.
 */
export function toPageBlock(
  page: Page,
  isEmbedded: boolean,
): ContentBlock | undefined {
  const { uri, title, size, html } = page;
  if (isEmbedded) {
    const resource = { uri, mimeType: PAGE_TYPE, text: html };
    return { type: "resource", resource, annotations: FOR_USER };
  }
  return toLink(uri, size, title);
}

/** A link in the place of a block that has a page, which can be read later. */
export function maybePageLink(block: ContentBlock): ContentBlock | undefined {
  if (block.type !== "resource" || !("text" in block.resource)) return;
  const { uri, mimeType, text } = block.resource;
  if (mimeType !== PAGE_TYPE) return undefined;
  return toLink(uri, encoder.encode(text).length);
}

function toLink(
  uri: string,
  size: number,
  title = "",
): ContentBlock | undefined {
  if (uri.startsWith(NAMES)) return undefined;
  const name = uri.slice(uri.lastIndexOf("/") + 1);
  return {
    ...{ type: "resource_link", uri, name, mimeType: PAGE_TYPE, size },
    ...title === "" ? {} : { title },
    annotations: FOR_USER,
  };
}

const FOR_USER = { audience: ["user" as const] };

export function describePage({ uri, title, about, size }: Page): string {
  const name = title === "" ? "" : `${title}; `;
  return `${uri} (${name}${about}, ${count(size)} bytes)`;
}

function nameOf(at: number): string {
  return `page-${at + 1}.html`;
}

const encoder = new TextEncoder();
