import type { ContentBlock } from "../../deps/mcp_server.ts";
import {
  bytesOf,
  type DisplayedMedia,
  type DisplayType,
} from "../protocol/displays.ts";
import type { Image } from "../protocol/run_result.ts";
import { count } from "./cut.ts";

export const ENDINGS: Record<DisplayType, string> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/svg+xml": "svg",
  "image/gif": "gif",
  "image/webp": "webp",
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "audio/flac": "flac",
};

/** Names a picture by its place after the pictures of the same run. */
export function toImage(
  display: DisplayedMedia,
  before: readonly Image[],
): Image {
  const { mimeType, data } = display;
  const name = `figure-${before.length + 1}.${ENDINGS[mimeType]}`;
  const uri = `run-python://images/${name}`;
  return { mimeType, data, size: bytesOf(display), uri };
}

export function toBlock({ mimeType, data, uri }: Image): ContentBlock {
  // Clients show no SVG as an image; some show a resource as a page.
  if (mimeType.startsWith("audio/")) return { type: "audio", mimeType, data };
  return mimeType === "image/svg+xml"
    ? { type: "resource", resource: { uri, mimeType, text: data } }
    : { type: "image", mimeType, data };
}

export function describeImage({ uri, mimeType, size }: Image): string {
  return `${uri} (${mimeType}, ${count(size)} bytes)`;
}
