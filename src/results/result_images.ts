import type { ContentBlock } from "../../deps/mcp_server.ts";
import type { Display, ImageType } from "../protocol/displays.ts";
import { bytesOf } from "../protocol/displays.ts";
import type { Image, Json } from "../protocol/run_result.ts";

const ENDINGS: Record<ImageType, string> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/svg+xml": "svg",
};

/**
 * Makes what Python showed a part of its run's result.
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
  // Nobody shows SVG as an image; who shows it as a page is its reader.
  return mimeType === "image/svg+xml"
    ? { type: "resource", resource: { uri, mimeType, text: data } }
    : { type: "image", mimeType, data };
}

/** What there is to say of a picture, without itself. */
export function toImageEntry({ uri, mimeType, size }: Image): Json {
  return { uri, mimeType, size };
}

/** The same in a line, but for its name. */
export function describeImage({ mimeType, size }: Image): string {
  return `${mimeType}, ${size.toLocaleString("en-US")} bytes`;
}

/** JSON Schema of a list of entries. */
export const IMAGES_SCHEMA: Json = {
  type: "array",
  description:
    "Pictures that were shown; absent if none was. They are blocks of the content, in this order after the text.",
  items: {
    type: "object",
    properties: {
      uri: { type: "string", description: "Names it." },
      mimeType: { type: "string", enum: Object.keys(ENDINGS) },
      size: { type: "integer", description: "Bytes." },
    },
    required: ["uri", "mimeType", "size"],
  },
};
