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

/** Types of all that code can show, but for pages. */
export type DisplayType = ImageType | AudioType;

/** The type of a page. */
export const PAGE_TYPE = "text/html";

export interface DisplayedMedia {
  type: "display";
  mimeType: DisplayType;
  /** Text of an SVG, base64 of any other picture. */
  data: string;
}

/** HTML, which Python wrote: it is shown by `src/frames/` alone. */
export interface DisplayedPage {
  type: "display";
  mimeType: typeof PAGE_TYPE;
  /** The HTML. */
  data: string;
  /** Plain text in a line; may be empty. */
  title: string;
  /** For a model, in a line: `plotly figure: 3 traces, 1,200 points`. */
  about: string;
}

export type Display = DisplayedMedia | DisplayedPage;

/** Limits of the pictures of a run, or of its pages. */
export interface DisplayLimits {
  count: number;
  /** Bytes of each. */
  size: number;
  /** Bytes of all together. */
  total: number;
}

/** Longest data that any option allows. */
const LONGEST = 1 << 24;

/** Characters of a page's title, and of what is said about it. */
const LONGEST_TITLE = 200;
const LONGEST_ABOUT = 500;

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

/**
 * Reads a picture: base64 of the kind that it says, or well-formed text; or a page,
 * which is text, too, and has lines about it.
 */
export function parseDisplay(
  { mimeType, data, title, about }: Record<string, unknown>,
): Display | undefined {
  if (typeof data !== "string" || data.length > LONGEST) return undefined;
  if (mimeType === PAGE_TYPE) {
    return isLine(title, LONGEST_TITLE) && isLine(about, LONGEST_ABOUT) &&
        data.isWellFormed() && !CONTROLS.test(data)
      ? { type: "display", mimeType, data, title, about }
      : undefined;
  }
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

/** Characters that HTML may not have, each of which is six as JSON. */
// deno-lint-ignore no-control-regex -- the search is for control characters
const CONTROLS = /[\0-\x08\x0b\x0e-\x1f]/;

/** Whether a value is plain text of one line. */
function isLine(text: unknown, longest: number): text is string {
  return typeof text === "string" && text.length <= longest &&
    text.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
}

const encoder = new TextEncoder();

/** Bytes that count: those of the file, or of an SVG's JSON to the client. */
export function bytesOf(
  { mimeType, data }: Pick<Display, "mimeType" | "data">,
): number {
  if (mimeType === PAGE_TYPE) return encoder.encode(data).length;
  if (mimeType === "image/svg+xml") {
    return encoder.encode(JSON.stringify(data)).length;
  }
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return data.length / 4 * 3 - padding;
}

export class DisplayTally {
  #count = 0;
  #bytes = 0;

  constructor(private limits: DisplayLimits) {}

  /** Counts a picture or page; false if it may not be shown, and does not count. */
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
