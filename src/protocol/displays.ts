import { maybeBase64 } from "./fields.ts";

/** Types that a picture may have. */
export type ImageType = "image/png" | "image/jpeg" | "image/svg+xml";

export interface Display {
  type: "display";
  mimeType: ImageType;
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

/** First bytes of each kind of picture that is not text. */
const STARTS = new Map<unknown, number[]>([
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
]);

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
  const isPicture = data.length === 4 * Math.ceil((bytes?.length ?? 0) / 3) &&
    start.every((byte, at) => bytes?.[at] === byte);
  return isPicture
    ? { type: "display", mimeType: mimeType as ImageType, data }
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
