// The addresses outside the public internet, which a sandbox cannot reach by any
// name: the owner of a name can make it resolve to any address, so Deno denies
// these addresses when it connects. They are IPv4 addresses, as Deno 2.9 has no flag
// for ranges of IPv6; see `src/sandbox/http_sender.ts`.

/** IPv4 addresses that share their first `length` bits. */
export interface Range {
  start: number;
  length: number;
}

const CLOSED = [
  "0.0.0.0/8", // this host
  "10.0.0.0/8", // private
  "100.64.0.0/10", // behind a provider's address translation
  "127.0.0.0/8", // loopback
  "168.63.129.16", // Azure's metadata service
  "169.254.0.0/16", // link-local, and the metadata services of other clouds
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

/** Closes this machine's own addresses, too, and leaves open the ranges in `open`. */
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

/** The parts of a range that lie outside another range. */
export function subtract(range: Range, hole: Range): Range[] {
  if (contains(hole, range)) return [];
  if (!contains(range, hole)) return [range];
  const length = range.length + 1;
  return [range.start, range.start + sizeOf(length)]
    .flatMap((start) => subtract({ start, length }, hole));
}

/** Whether a range lies within another range. */
export function contains(outer: Range, inner: Range): boolean {
  return outer.length <= inner.length && inner.start >= outer.start &&
    inner.start < outer.start + sizeOf(outer.length);
}

/**
 * Reads an address, or a range as in `10.0.0.0/8`; undefined if the text is neither,
 * or if the address is not the first address of its range.
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

export function toText({ start, length }: Range): string {
  const parts = [24, 16, 8, 0].map((bits) =>
    Math.floor(start / 2 ** bits) % 256
  );
  return parts.join(".") + (length === 32 ? "" : `/${length}`);
}

function sizeOf(length: number): number {
  return 2 ** (32 - length);
}
