import {
  assertEquals,
  assertMatch,
  assertThrows,
} from "../../../deps/assert.ts";
import { concat } from "../../protocol/lines.ts";
import {
  type CheckpointIndex,
  encodeIndex,
  type Expected,
  parseCheckpoint,
  toIdentity,
} from "./checkpoint_format.ts";

const PAGE = 4096;
const MEMORY = 4 * 65_536;

const EXPECTED: Expected = {
  identity: toIdentity({
    ...{ environment: "e", v8: "14", build: "b", tableLength: 9 },
  }),
  snapshotBytes: 2 * 65_536,
  memoryBytes: 8 * 65_536,
  fileLimits: { bytes: 1000, nodes: 5 },
  names: new Set(["Object"]),
};

const INDEX: CheckpointIndex = {
  identity: EXPECTED.identity,
  memory: MEMORY,
  ranges: [[0, PAGE], [2 * PAGE, PAGE]],
  zeros: [[PAGE, PAGE]],
  hiwireKeys: [null, { path: [] }, { path: ["Object"] }, { API: true }],
  immortalKeys: ["name"],
  secrets: [{ name: "KEY", form: 0, length: 8, places: [3] }],
  files: [
    { path: "/workspace/a", mode: 0o755, mtime: 1 },
    { path: "/workspace/a/b", mode: 0o644, mtime: 2, size: 3, ino: 70 },
    { path: "/workspace/link", mode: 0o777, mtime: 3, link: "/dev" },
  ],
  removed: ["/tmp/x"],
  streams: [
    { fd: 3, path: "/workspace/a/b", flags: 2, position: 1 },
    { fd: 4, path: "/workspace/a/b", flags: 2, position: 1, same: 3 },
    { fd: 5, path: "/tmp/gone", flags: 2, position: 0, deleted: 2 },
  ],
  cwd: "/workspace/a",
  clock: 12.5,
};
const BODY = new Uint8Array(2 * PAGE + 3 + 2);

/** Bytes with another index; values may be of any form. */
function write(change: Record<string, unknown> = {}, body = BODY): Uint8Array {
  const index = { ...INDEX, ...change } as unknown as CheckpointIndex;
  return concat([encodeIndex(index), body]);
}

Deno.test("parseCheckpoint() reads what was saved", () => {
  const { body, ...index } = parseCheckpoint(write(), EXPECTED);
  assertEquals(index, INDEX);
  assertEquals(body.length, BODY.length);
});

const file = (more: object) => ({
  files: [{ path: "/tmp/f", mode: 0, mtime: 0, size: 5, ...more }],
});
const stream = (more: object) => ({
  streams: [{ fd: 3, path: "/tmp/f", flags: 0, position: 0, ...more }],
});
const many = (count: number, one: unknown) => Array(count).fill(one);

const HOSTILE: [name: string, change: Record<string, unknown>][] = [
  ...Object.keys(EXPECTED.identity).map((key): [string, object] => [
    `another ${key}`,
    { identity: { ...EXPECTED.identity, [key]: "other" } },
  ]).map(([name, change]): [string, Record<string, unknown>] => [
    name,
    { ...change },
  ]),
  ["no identity", { identity: null }],
  ["too much memory", { memory: 9 * 65_536 }],
  ["less memory than its snapshot", { memory: 65_536 }],
  ["half a page of memory", { memory: MEMORY + 1 }],
  ["a memory that is a text", { memory: `${MEMORY}` }],
  ["a range outside", { ranges: [[0, PAGE], [MEMORY, PAGE]] }],
  ["a range across the end", { ranges: [[MEMORY - PAGE, 2 * PAGE]] }],
  ["half a page", { ranges: [[0, PAGE], [2 * PAGE + 1, PAGE]] }],
  ["an empty range", { ranges: [[0, 0], ...INDEX.ranges] }],
  ["a negative range", { ranges: [[-PAGE, PAGE], [0, PAGE]] }],
  ["ranges out of order", { ranges: INDEX.ranges.toReversed() }],
  ["ranges that overlap", { ranges: [[0, PAGE], [0, PAGE]] }],
  ["zeros that overlap", { zeros: [[0, PAGE]] }],
  ["more ranges than pages", { ranges: many(65, [0, PAGE]) }],
  ["a range of three", { ranges: [[0, PAGE, 1], [2 * PAGE, PAGE]] }],
  ["a path of two steps", { hiwireKeys: [{ path: ["Object", "x"] }] }],
  ["a name that is not known", { hiwireKeys: [{ path: ["constructor"] }] }],
  ["a name that is not a text", { hiwireKeys: [{ path: [["Object"]] }] }],
  ["a serialized object", { hiwireKeys: [{ serialized: 1 }] }],
  ["millions of objects", { hiwireKeys: many(2_000_000, null) }],
  ["a long immortal name", { immortalKeys: ["x".repeat(1001)] }],
  ["a file outside", file({ path: "/lib/python314.zip" })],
  ["a file above", file({ path: "/workspace/../dev/x" })],
  ["a path with a dot", file({ path: "/workspace/./x" })],
  ["a path that ends in a slash", file({ path: "/workspace/x/" })],
  ["a path with two slashes", file({ path: "/workspace//x" })],
  ["a relative path", file({ path: "workspace/x" })],
  ["a path with a NUL", file({ path: "/workspace/\0" })],
  ["a path that only begins so", file({ path: "/workspaces/x" })],
  ["a root that is a file", file({ path: "/workspace" })],
  ["a file with a target", file({ link: "x" })],
  ["a time that is not finite", file({ mtime: null })],
  ["a file twice", { files: many(2, file({}).files[0]) }],
  ["a file below a link", {
    files: [INDEX.files[2], {
      ...{ path: "/workspace/link/x", mode: 0, mtime: 0, size: 3 },
    }],
  }],
  ["too many files", { files: many(6, file({}).files[0]) }],
  ["too many removals", { removed: many(6, "/tmp/x") }],
  ["a removal outside", { removed: ["/lib"] }],
  ["a standard stream", stream({ fd: 1 })],
  ["a large descriptor", stream({ fd: 4096 })],
  ["a fraction of a descriptor", stream({ fd: 3.5 })],
  ["a descriptor twice", { streams: many(2, stream({}).streams[0]) }],
  ["a copy of no descriptor", stream({ same: 7 })],
  ["a stream above", stream({ path: "/tmp/../dev/x" })],
  ["a negative position", stream({ position: -1 })],
  ["a folder above", { cwd: "/workspace/.." }],
  ["a clock that is not finite", { clock: null }],
  ["a clock that goes back", { clock: -1 }],
  ["a form that there is not", {
    secrets: [{ name: "KEY", form: 9, length: 8, places: [] }],
  }],
];

Deno.test("parseCheckpoint() refuses what no interpreter has saved", () => {
  for (const [name, change] of HOSTILE) {
    const reason = reasonOf(write(change));
    // That of the body comes last.
    const isOther = reason !== undefined && !/another length/.test(reason);
    assertEquals([name, reason, isOther], [name, reason, true]);
  }
});

Deno.test("parseCheckpoint() wants exact lengths, and bounds files", () => {
  const bytes = write();
  for (
    const other of [
      new Uint8Array(),
      bytes.subarray(0, 7),
      bytes.subarray(0, 100),
      bytes.subarray(0, -1),
      concat([bytes, [0]]),
    ]
  ) assertThrows(() => parseCheckpoint(other, EXPECTED), RangeError);
  const large = { ...file({ size: 1001 }), streams: [] };
  const body = new Uint8Array(2 * PAGE + 1001);
  assertMatch(`${reasonOf(write(large, body))}`, /larger files/);
});

Deno.test("parseCheckpoint() masks modes and flags", () => {
  const change = {
    ...file({ mode: 0o120777, size: 5 }),
    ...stream({ flags: 0o1302 }),
  };
  const body = new Uint8Array(2 * PAGE + 5);
  const { files, streams } = parseCheckpoint(write(change, body), EXPECTED);
  assertEquals([files[0]?.mode, streams[0]?.flags], [0o777, 0o2]);
});

Deno.test("parseCheckpoint() throws no other error for a flipped byte", () => {
  const bytes = write();
  for (let at = 0; at < bytes.length - BODY.length; at++) {
    for (const mask of [1, 0x20, 0xff]) {
      const flipped = bytes.slice();
      flipped[at] = (flipped[at] ?? 0) ^ mask;
      reasonOf(flipped);
    }
  }
});

/** The reason for which bytes are refused; any other error fails the test. */
function reasonOf(bytes: Uint8Array): string | undefined {
  try {
    parseCheckpoint(bytes, EXPECTED);
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}
