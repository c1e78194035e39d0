import type { ContentBlock } from "../../deps/mcp_server.ts";
import type { Display, ImageType } from "../protocol/run_messages.ts";
import { bytesOf } from "../protocol/displays.ts";
import type { Image, Json } from "../protocol/run_result.ts";

/** Endings of the names of pictures, by type. */
export const ENDINGS: Record<ImageType, string> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/svg+xml": "svg",
};

/**
 * Makes a picture that Python showed a part of its run's result.
 *
 * @param before Pictures of the same run.
 */
export function toImage(display: Display, before: readonly Image[]): Image {
  const { mimeType, data } = display;
  const name = `figure-${before.length + 1}.${ENDINGS[mimeType]}`;
  const uri = `run-python://images/${name}`;
  return { mimeType, data, size: bytesOf(display), uri };
}

/** A picture as a part of a tool's answer, beside its text. */
export function toBlock({ mimeType, data, uri }: Image): ContentBlock {
  // Clients show no SVG as an image; some show a resource as a page.
  return mimeType === "image/svg+xml"
    ? { type: "resource", resource: { uri, mimeType, text: data } }
    : { type: "image", mimeType, data };
}

/** The entry of a picture in the structured content. */
export function toImageEntry({ uri, mimeType, size }: Image): Json {
  return { uri, mimeType, size };
}

/** The type and size of a picture, for a line. */
export function describeImage({ mimeType, size }: Image): string {
  return `${mimeType}, ${size.toLocaleString("en-US")} bytes`;
}
