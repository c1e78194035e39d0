/**
 * Which addresses are closed to a sandbox however it comes to them: all that is
 * not the public internet.
 *
 * A name can resolve to anything, whoever owns it. So these are denied by
 * address, when the connection is made. They are those of IPv4, as Deno 2.9
 * knows no ranges of IPv6; see `src/sandbox/http_sender.ts`.
 *
 * @module
 */

/** Addresses of IPv4 that share the first `length` bits. */
export interface Range {
  /** The first of them. */
  start: number;
  length: number;
}

/** What is no part of the internet. */
const CLOSED = [
  "0.0.0.0/8", // this host
  "10.0.0.0/8", // private
  "100.64.0.0/10", // of a provider, behind its address translation
  "127.0.0.0/8", // loopback
  "168.63.129.16", // what Azure tells its machines
  "169.254.0.0/16", // link-local, and what other clouds tell theirs
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocols
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // relays to IPv6
  "192.168.0.0/16", // private
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
];

/**
 * The ranges that are closed.
 *
 * @param own Addresses of this machine, which are closed, too.
 * @param open What is not closed.
 */
export function closedRanges(
  own: readonly Range[],
  open: readonly Range[],
): Range[] {
  const all = [...CLOSED.flatMap((text) => parseRange(text) ?? []), ...own];
  return open.reduce(
    (closed, hole) => closed.flatMap((range) => subtract(range, hole)),
    all,
  );
}

/** What of a range is outside another. */
export function subtract(range: Range, hole: Range): Range[] {
  if (contains(hole, range)) return [];
  if (!contains(range, hole)) return [range];
  const length = range.length + 1;
  return [range.start, range.start + sizeOf(length)]
    .flatMap((start) => subtract({ start, length }, hole));
}

/** Whether all of a range is in another. */
export function contains(outer: Range, inner: Range): boolean {
  return outer.length <= inner.length && inner.start >= outer.start &&
    inner.start < outer.start + sizeOf(outer.length);
}

/**
 * Reads an address, or a range as in `10.0.0.0/8`.
 *
 * @returns Undefined if it is none, or its range starts elsewhere.
 */
export function parseRange(text: string): Range | undefined {
  const [, address = "", bits = "32"] = /^([\d.]+)(?:\/(\d\d?))?$/.exec(text) ??
    [];
  const parts = address.split(".");
  const isAddress = parts.length === 4 &&
    parts.every((part) =>
      /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256
    );
  const length = Number(bits);
  if (!isAddress || length > 32) return undefined;
  const start = parts.reduce((sum, part) => sum * 256 + Number(part), 0);
  return start % sizeOf(length) === 0 ? { start, length } : undefined;
}

/** A range as it is written. */
export function toText({ start, length }: Range): string {
  const parts = [24, 16, 8, 0].map((bits) =>
    Math.floor(start / 2 ** bits) % 256
  );
  return parts.join(".") + (length === 32 ? "" : `/${length}`);
}

function sizeOf(length: number): number {
  return 2 ** (32 - length);
}
