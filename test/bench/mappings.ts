/**
 * The memory of a process by the kind of its mappings, as `/proc/PID/smaps`
 * tells (Linux); elsewhere `undefined`.
 *
 * @module
 */
import { maybeRead } from "../support/proc.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
/** glibc reserves this for each of malloc's arenas, at a multiple of it. */
const ARENA = 64 * MIB;
/** V8 reserves gigabytes behind WebAssembly's memory, so that it can check no bounds. */
const LEAST_RESERVE = 1024 * MIB;
/** V8 asks for places of its heaps below this, where nothing else is put. */
const HEAPS_BELOW = 2 ** 46;

/** Kinds of mappings, in the order in which a table has them. */
export const KINDS = [
  "Python's memory",
  "large buffers",
  "small allocations (malloc)",
  "JavaScript heaps (V8)",
  "machine code",
  "Deno's data",
  "Deno's code, libraries",
  "stacks, the rest",
] as const;

export type Kind = typeof KINDS[number];

/** Bytes of each kind; what is shared counts in parts. */
export type Kinds = Record<Kind, number>;

export function kindsOf(pid: number): Kinds | undefined {
  const text = maybeRead(`/proc/${pid}/smaps`);
  return text === undefined ? undefined : sumKinds(parseMappings(text));
}

/** A mapping; `end` is the address after its last byte. */
interface Mapping {
  start: number;
  end: number;
  /** Such as `rw-p`. */
  access: string;
  /** A file's path, or a name such as `[heap]`; empty if it has none. */
  name: string;
  share: number;
}

const HEADER = /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+ *(.*)$/;

export function parseMappings(text: string): Mapping[] {
  const mappings: Mapping[] = [];
  for (const line of text.split("\n")) {
    const [, start = "", end = "", access = "", name = ""] =
      HEADER.exec(line) ?? [];
    const [, share] = /^Pss: +(\d+) kB$/.exec(line) ?? [];
    const last = mappings.at(-1);
    if (access) {
      const [from, to] = [start, end].map((text) => parseInt(text, 16));
      mappings.push({ start: from ?? 0, end: to ?? 0, access, name, share: 0 });
    } else if (share && last) last.share = Number(share) * KIB;
  }
  return mappings;
}

export function sumKinds(mappings: Mapping[]): Kinds {
  const sums = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Kinds;
  mappings.forEach((mapping, at) => {
    const [before, after] = [mappings[at - 1], mappings[at + 1]];
    sums[kindOf(mapping, before, after)] += mapping.share;
  });
  return sums;
}

/** The neighbours tell: a library's unused address space has no other name. */
function kindOf(
  mapping: Mapping,
  before: Mapping | undefined,
  after: Mapping | undefined,
): Kind {
  const { start, end, access, name } = mapping;
  const size = end - start;
  const reserve = isReserve(after) && after.start === end
    ? after.end - after.start
    : 0;
  const isGuarded = isReserve(before) && before.end === start &&
    before.end - before.start <= MIB;
  if (name === "[heap]") return "small allocations (malloc)";
  if (name.startsWith("/")) {
    return access.includes("w") ? "Deno's data" : "Deno's code, libraries";
  }
  if (name !== "") return "stacks, the rest";
  if (access.includes("x")) return "machine code";
  if (reserve >= LEAST_RESERVE) return "Python's memory";
  if (start < HEAPS_BELOW) return "JavaScript heaps (V8)";
  if (start % ARENA === 0 && size + reserve === ARENA) {
    return "small allocations (malloc)";
  }
  return size < MIB || isGuarded ? "stacks, the rest" : "large buffers";
}

function isReserve(mapping: Mapping | undefined): mapping is Mapping {
  return mapping?.access === "---p";
}
