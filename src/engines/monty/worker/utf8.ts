import { PythonError } from "./host_call.ts";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads bytes as text; undefined if they are not UTF-8. */
export function maybeText(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Reads bytes as text.
 *
 * @throws {PythonError} The `UnicodeDecodeError` of `bytes.decode()`.
 */
export function toText(bytes: Uint8Array): string {
  const text = maybeText(bytes);
  if (text !== undefined) return text;
  const { start, end, reason } = findFault(bytes);
  const what = end - start === 1
    ? `byte 0x${
      bytes[start]?.toString(16).padStart(2, "0")
    } in position ${start}`
    : `bytes in position ${start}-${end - 1}`;
  const message = `'utf-8' codec can't decode ${what}: ${reason}`;
  throw new PythonError("UnicodeDecodeError", message);
}

/** The first bytes that are not UTF-8: the longest start of a character. */
function findFault(
  bytes: Uint8Array,
): { start: number; end: number; reason: string } {
  let start = 0;
  let first;
  while ((first = bytes[start]) !== undefined) {
    const more = first < 0x80 ? 0 : followers(first);
    if (more === undefined) {
      return { start, end: start + 1, reason: "invalid start byte" };
    }
    for (let at = 1; at <= more; at++) {
      const byte = bytes[start + at];
      const end = start + at;
      if (byte === undefined) {
        return { start, end, reason: "unexpected end of data" };
      }
      const [low, high] = at === 1 ? seconds(first) : [0x80, 0xbf];
      if (byte < low || byte > high) {
        return { start, end, reason: "invalid continuation byte" };
      }
    }
    start += 1 + more;
  }
  throw new RangeError("The text is too long for JavaScript");
}

/** How many bytes follow a first byte beyond ASCII; undefined if none can. */
function followers(first: number): number | undefined {
  if (first < 0xc2 || first > 0xf4) return undefined;
  return first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
}

/** The second bytes that a first byte takes: neither overlong nor a surrogate. */
function seconds(first: number): [low: number, high: number] {
  switch (first) {
    case 0xe0:
      return [0xa0, 0xbf];
    case 0xed:
      return [0x80, 0x9f];
    case 0xf0:
      return [0x90, 0xbf];
    case 0xf4:
      return [0x80, 0x8f];
    default:
      return [0x80, 0xbf];
  }
}
