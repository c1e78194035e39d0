import type { Display, ImageLimits, ImageType } from "./run_messages.ts";

/** Longest data that anyone can be allowed to send. */
const LONGEST = 1 << 24;

/** How each kind of picture begins, that is no text. */
const STARTS: [ImageType, number[]][] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
];

/** Reads a picture: base64 that is what it says, or a text that is well-formed. */
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
    const isOne = bytes && start.every((byte, at) => bytes[at] === byte);
    return isOne ? { type: "display", mimeType: type, data } : undefined;
  }
}

function maybeDecode(data: string): Uint8Array | undefined {
  try {
    const bytes = Uint8Array.fromBase64(data, { lastChunkHandling: "strict" });
    // It would also take spaces, which not every client does.
    const length = 4 * Math.ceil(bytes.length / 3);
    return data.length === length ? bytes : undefined;
  } catch {
    return undefined;
  }
}

const encoder = new TextEncoder();

/**
 * Bytes that count for a picture: those of its file, and of a text as many as it
 * has on its way to the client.
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

  /** Counts a picture, if it may be shown. */
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
