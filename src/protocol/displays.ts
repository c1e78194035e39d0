import { maybeBase64 } from "./fields.ts";

/** Types that a picture may have. */
export type ImageType =
  | "image/png"
  | "image/jpeg"
  | "image/svg+xml"
  | "image/gif"
  | "image/webp";

/** Types that audio may have, which a tool gives and code shows. */
export type AudioType =
  | "audio/wav"
  | "audio/mpeg"
  | "audio/ogg"
  | "audio/flac";

/** Types of all that code can show. */
export type DisplayType = ImageType | AudioType;

export interface Display {
  type: "display";
  mimeType: DisplayType;
  /** Text of an SVG, base64 of any other picture. */
  data: string;
}

export interface ImageLimits {
  count: number;
  /** Bytes of a picture. */
  size: number;
  /** Bytes of all pictures together. */
  total: number;
}

/** Longest data that any option allows. */
const LONGEST = 1 << 24;

/** First bytes of each kind that is not text, as characters; `.` is any of them. */
const STARTS = new Map<unknown, RegExp>([
  // deno-lint-ignore no-control-regex -- a part of each PNG
  ["image/png", /^\x89PNG\r\n\x1a\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8/],
  ["image/webp", /^RIFF.{4}WEBP/s],
  ["audio/wav", /^RIFF.{4}WAVE/s],
  ["audio/mpeg", /^(ID3|\xff[\xfb\xf3\xf2])/],
  ["audio/ogg", /^OggS/],
  ["audio/flac", /^fLaC/],
]);
const LONGEST_START = 12;

/** Reads a picture: base64 of the kind that it says, or well-formed text. */
export function parseDisplay(
  { mimeType, data }: Record<string, unknown>,
): Display | undefined {
  if (typeof data !== "string" || data.length > LONGEST) return undefined;
  if (mimeType === "image/svg+xml") {
    if (data.isWellFormed()) return { type: "display", mimeType, data };
  }
  const start = STARTS.get(mimeType);
  if (!start) return undefined;
  const bytes = maybeBase64(data);
  // The decoder also takes spaces, which some clients refuse.
  if (!bytes || data.length !== 4 * Math.ceil(bytes.length / 3)) return;
  const first = String.fromCharCode(...bytes.subarray(0, LONGEST_START));
  return start.test(first)
    ? { type: "display", mimeType: mimeType as DisplayType, data }
    : undefined;
}

const encoder = new TextEncoder();

/** Bytes that count: those of the file, or of an SVG's JSON to the client. */
export function bytesOf({ mimeType, data }: Omit<Display, "type">): number {
  if (mimeType === "image/svg+xml") {
    return encoder.encode(JSON.stringify(data)).length;
  }
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return data.length / 4 * 3 - padding;
}

export class DisplayTally {
  #count = 0;
  #bytes = 0;

  constructor(private limits: ImageLimits) {}

  /** Counts a picture; false if it may not be shown, and does not count. */
  take(display: Display): boolean {
    const bytes = bytesOf(display);
    const { count, size, total } = this.limits;
    if (this.#count >= count || bytes > size) return false;
    if (this.#bytes + bytes > total) return false;
    this.#count++;
    this.#bytes += bytes;
    return true;
  }
}
