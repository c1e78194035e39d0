/** Types that a picture may have. */
export type ImageType = "image/png" | "image/jpeg" | "image/svg+xml";

/** A picture that Python shows. */
export interface Display {
  type: "display";
  mimeType: ImageType;
  /** Text of an SVG, base64 of any other picture. */
  data: string;
}

/** Bounds of the pictures that a run shows. */
export interface ImageLimits {
  /** Pictures in all. */
  count: number;
  /** Bytes of a picture. */
  size: number;
  /** Bytes of all pictures together. */
  total: number;
}

/** Longest data that any option allows. */
const LONGEST = 1 << 24;

/** First bytes of each kind of picture that is not text. */
const STARTS: [ImageType, number[]][] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
];

/** Reads a picture: base64 of the kind that it says, or well-formed text. */
export function parseDisplay(
  { mimeType, data }: Record<string, unknown>,
): Display | undefined {
  if (typeof data !== "string" || data.length > LONGEST) return undefined;
  if (mimeType === "image/svg+xml") {
    return data.isWellFormed()
      ? { type: "display", mimeType, data }
      : undefined;
  }
  for (const [type, start] of STARTS) {
    if (type !== mimeType) continue;
    const bytes = maybeDecode(data);
    const isPicture = bytes && start.every((byte, at) => bytes[at] === byte);
    return isPicture ? { type: "display", mimeType: type, data } : undefined;
  }
}

function maybeDecode(data: string): Uint8Array | undefined {
  try {
    const bytes = Uint8Array.fromBase64(data, { lastChunkHandling: "strict" });
    // It would also take spaces, which some clients refuse.
    const length = 4 * Math.ceil(bytes.length / 3);
    return data.length === length ? bytes : undefined;
  } catch {
    return undefined;
  }
}

const encoder = new TextEncoder();

/**
 * Bytes that count for a picture: those of its file, and for text those of its
 * JSON on the way to the client.
 */
export function bytesOf({ mimeType, data }: Omit<Display, "type">): number {
  if (mimeType === "image/svg+xml") {
    return encoder.encode(JSON.stringify(data)).length;
  }
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return data.length / 4 * 3 - padding;
}

/** Counts the pictures of one run. */
export class DisplayTally {
  #limits: ImageLimits;
  #count = 0;
  #bytes = 0;

  /** Starts with nothing shown. */
  constructor(limits: ImageLimits) {
    this.#limits = limits;
  }

  /** Counts a picture; false if it may not be shown, and does not count. */
  take(display: Display): boolean {
    const bytes = bytesOf(display);
    const { count, size, total } = this.#limits;
    if (this.#count >= count || bytes > size) return false;
    if (this.#bytes + bytes > total) return false;
    this.#count++;
    this.#bytes += bytes;
    return true;
  }
}
