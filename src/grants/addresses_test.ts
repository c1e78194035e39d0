import { assert, assertEquals } from "../../deps/assert.ts";
import { Random } from "../../test/bench/soak/random.ts";
import {
  closedRanges,
  contains,
  parseRange,
  type Range,
  subtract,
  toText,
} from "./addresses.ts";

function range(text: string): Range {
  const found = parseRange(text);
  assert(found, text);
  return found;
}

function isClosed(
  address: string,
  { own = [], open = [] }: { own?: string[]; open?: string[] } = {},
): boolean {
  return closedRanges(own.map(range), open.map(range))
    .some((closed) => contains(closed, range(address)));
}

Deno.test("parseRange() reads what toText() writes, and no other form", () => {
  for (
    const text of ["10.0.0.0/8", "127.0.0.1", "255.255.255.255", "0.0.0.0/0"]
  ) {
    assertEquals(toText(range(text)), text);
  }
  for (
    const text of [
      ...["10.1.0.0/8", "1.2.3", "1.2.3.4/33", "1.2.3.256", "01.2.3.4", "::1"],
      ...["1.2.3.4/", "2130706433", "0x7f.0.0.1", "1.2.3.4.5", "", "1..2.3"],
    ]
  ) assertEquals(parseRange(text), undefined, text);
});

Deno.test("closedRanges() close all but the internet, and this machine", () => {
  for (
    const address of [
      ...["127.0.0.1", "127.255.255.255", "0.0.0.0", "10.1.2.3", "100.64.0.1"],
      ...["169.254.169.254", "168.63.129.16", "172.31.0.1", "192.168.1.1"],
      ...["192.0.0.192", "224.0.0.251", "255.255.255.255", "100.100.100.200"],
      "8.8.4.4",
    ]
  ) assert(isClosed(address, { own: ["8.8.4.4"] }), address);
  for (
    const address of [
      ...["1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "8.8.4.4"],
      ...["172.15.255.255", "172.32.0.0", "192.167.0.1", "223.255.255.255"],
      ...["100.128.0.0", "126.255.255.255", "128.0.0.0"],
    ]
  ) assert(!isClosed(address), address);
});

/** The first and last address of each range in the registry of special addresses. */
const CLOSED: [first: string, last: string][] = [
  ["0.0.0.0", "0.255.255.255"],
  ["10.0.0.0", "10.255.255.255"],
  ["100.64.0.0", "100.127.255.255"],
  ["127.0.0.0", "127.255.255.255"],
  ["168.63.129.16", "168.63.129.16"],
  ["169.254.0.0", "169.254.255.255"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.0.0.0", "192.0.0.255"],
  ["192.0.2.0", "192.0.2.255"],
  ["192.88.99.0", "192.88.99.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["198.51.100.0", "198.51.100.255"],
  ["203.0.113.0", "203.0.113.255"],
  ["224.0.0.0", "255.255.255.255"],
];

Deno.test("closedRanges() close each range from its first address to its last", () => {
  const next = (address: string, step: number) =>
    toText({ start: range(address).start + step, length: 32 });
  for (const [first, last] of CLOSED) {
    for (const address of [first, last]) assert(isClosed(address), address);
    if (first !== "0.0.0.0") {
      assert(!isClosed(next(first, -1)), `before ${first}`);
    }
    if (last !== "255.255.255.255") {
      assert(!isClosed(next(last, 1)), `after ${last}`);
    }
  }
  const sizes = closedRanges([], []).map(({ length }) => 2 ** (32 - length));
  const expected = CLOSED.map(([first, last]) =>
    range(last).start - range(first).start + 1
  );
  const sum = (list: number[]) => list.reduce((all, one) => all + one, 0);
  assertEquals(sum(sizes), sum(expected));
});

Deno.test("closedRanges() leave out what is named, and nothing beside it", () => {
  const open = ["127.0.0.1", "10.1.0.0/16", "8.8.4.4"];
  const options = { own: ["8.8.4.4", "8.8.4.5"], open };
  for (const address of ["127.0.0.1", "10.1.255.255", "10.1.0.0", "8.8.4.4"]) {
    assert(!isClosed(address, options), address);
  }
  for (
    const address of [
      "127.0.0.0",
      "127.0.0.2",
      "10.0.255.255",
      "10.2.0.0",
      "8.8.4.5",
    ]
  ) assert(isClosed(address, options), address);
});

Deno.test("subtract() leaves each address that is outside, once", () => {
  const random = new Random(1);
  // Ranges of the last 8 bits, so that the test can try all addresses.
  const draw = (): Range => {
    const length = 24 + Math.floor(random.next() * 9);
    const size = 2 ** (32 - length);
    return { start: Math.floor(random.next() * 256 / size) * size, length };
  };
  for (let round = 0; round < 2000; round++) {
    const [whole, hole] = [draw(), draw()];
    const rest = subtract(whole, hole);
    for (let start = 0; start < 256; start++) {
      const address: Range = { start, length: 32 };
      const expected = contains(whole, address) && !contains(hole, address);
      const found = rest.filter((part) => contains(part, address)).length;
      assertEquals(
        found,
        expected ? 1 : 0,
        JSON.stringify([whole, hole, start]),
      );
    }
  }
});
