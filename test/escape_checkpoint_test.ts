/**
 * Saved sessions that a hostile guest, or whoever can write the store, has made: the
 * host reads them before a worker does, and refuses them cheaply.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import {
  checkIndex,
  type CheckpointIndex,
  encodeIndex,
  type Expected,
  parseCheckpoint,
  toIdentity,
} from "../src/engines/pyodide/checkpoint_format.ts";
import { MOST_PLACES, showSecrets } from "../src/engines/pyodide/secrets.ts";
import { MIB } from "../src/units.ts";

const PAGE = 4096;
const EXPECTED: Expected = {
  identity: toIdentity({
    ...{ environment: "e", v8: "v", build: "b", tableLength: 7 },
  }),
  ...{ snapshotBytes: MIB, memoryBytes: 64 * MIB },
  fileLimits: { bytes: MIB, nodes: 10_000 },
  names: new Set(["Object"]),
};
const INDEX: CheckpointIndex = {
  ...{ identity: EXPECTED.identity, memory: MIB, ranges: [], zeros: [] },
  ...{ hiwireKeys: [], immortalKeys: [], files: [], removed: [] },
  ...{ streams: [], cwd: "/workspace", secrets: [], clock: 1.5 },
};

/** The bytes of a checkpoint with such an index, whatever it is. */
function toBytes(index: object, body = 0): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(index));
  const bytes = new Uint8Array(8 + text.length + body);
  bytes.set(encodeIndex(INDEX).subarray(0, 4));
  new DataView(bytes.buffer).setUint32(4, text.length, true);
  bytes.set(text, 8);
  return bytes;
}

/** The reason against a checkpoint; undefined if it is taken. */
function maybeRefused(bytes: Uint8Array): string | undefined {
  try {
    parseCheckpoint(bytes, EXPECTED);
  } catch (error) {
    assert(error instanceof RangeError, `${error}`);
    return error.message;
  }
}

const FILE = { path: "/workspace/a", mode: 0o644, mtime: -1.5, size: 0 };
const LINK = { ...FILE, size: undefined, link: "/lib" };
const STREAM = { fd: 3, path: FILE.path, flags: 0, position: 0 };
const SECRET = { name: "A", form: 0, length: 8, places: [0] };

Deno.test("a saved session with each kind of entry is read, and nothing more than that", () => {
  const index = {
    ...{ ...INDEX, memory: 2 * MIB, ranges: [[0, PAGE], [2 * PAGE, PAGE]] },
    zeros: [[PAGE, PAGE]],
    hiwireKeys: [null, { path: [] }, { path: ["Object"] }, { API: true }],
    files: [FILE, { ...LINK, path: "/tmp/l" }, { ...FILE, path: "/home/a b" }],
    streams: [STREAM, { ...STREAM, fd: 4, same: 3 }],
  };
  const checkpoint = parseCheckpoint(toBytes(index, 2 * PAGE), EXPECTED);
  const { body, ...read } = checkpoint;
  assertEquals(JSON.parse(JSON.stringify(read)), {
    ...JSON.parse(JSON.stringify(index)),
  });
  assertEquals(body.length, 2 * PAGE);
  const more = {
    ...index,
    evil: 1,
    files: [{ ...FILE, evil: 1, mode: 0o777777 }],
  };
  const { files, ...rest } = parseCheckpoint(toBytes(more, 2 * PAGE), EXPECTED);
  assertEquals([files, "evil" in rest], [[{ ...FILE, mode: 0o7777 }], false]);
});

const HOSTILE: [
  name: string,
  change: Record<string, unknown>,
  body?: number,
][] = [
  ["two steps in JavaScript", {
    hiwireKeys: [{ path: ["Object", "constructor"] }],
  }],
  ["another name of JavaScript", { hiwireKeys: [{ path: ["Deno"] }] }],
  ["a name of all objects", { hiwireKeys: [{ path: ["__proto__"] }] }],
  ["a name that is a list", { hiwireKeys: [{ path: [["Object"]] }] }],
  ["an object as it is", { hiwireKeys: [{ serialized: 1 }] }],
  ["two million objects", { hiwireKeys: Array(2_000_000).fill(null) }],
  ["many names", { immortalKeys: Array(10_001).fill("") }],
  ["a long name", { immortalKeys: ["x".repeat(1001)] }],
  ["a range of another memory", { ranges: [[MIB, PAGE]] }, PAGE],
  ["a range over the end", { ranges: [[MIB - PAGE, 2 * PAGE]] }, 2 * PAGE],
  ["a range before the start", { ranges: [[-PAGE, PAGE]] }, PAGE],
  ["a part of a page", { ranges: [[1, PAGE]] }, PAGE],
  ["no pages", { ranges: [[0, 0]] }],
  ["ranges that overlap", { ranges: [[0, 2 * PAGE], [PAGE, PAGE]] }, 3 * PAGE],
  ["ranges out of order", { ranges: [[PAGE, PAGE], [0, PAGE]] }, 2 * PAGE],
  ["zeros over a range", { ranges: [[0, PAGE]], zeros: [[0, PAGE]] }, PAGE],
  ["a memory that is too small", { memory: 65_536 }],
  ["a memory that is too large", { memory: 65 * MIB }],
  ["a part of a page of memory", { memory: MIB + PAGE }],
  ["more bytes than it says", {}, 1],
  ["fewer bytes than it says", { files: [{ ...FILE, size: 1 }] }],
  ["halves of bytes", {
    files: [{ ...FILE, size: 0.5 }, { ...FILE, path: "/tmp/b", size: 0.5 }],
  }, 1],
  ["a negative size", {
    files: [{ ...FILE, size: -1 }, { ...FILE, path: "/tmp/b", size: 1 }],
  }],
  [
    "larger files than there may be",
    { files: [{ ...FILE, size: MIB + 1 }] },
    MIB + 1,
  ],
  ["more files than there may be", {
    files: Array.from(
      { length: 10_001 },
      (_, at) => ({ ...FILE, path: `/tmp/${at}` }),
    ),
  }],
  ["a file over the standard library", {
    files: [{ ...FILE, path: "/lib/python314.zip" }],
  }],
  ["a file of /proc", { files: [{ ...FILE, path: "/proc/self/fd/0" }] }],
  ["a device", { files: [{ ...FILE, path: "/dev/null" }] }],
  ["a path with ..", { files: [{ ...FILE, path: "/workspace/../dev/x" }] }],
  ["a path that ends with ..", { files: [{ ...FILE, path: "/workspace/.." }] }],
  ["a path with .", { files: [{ ...FILE, path: "/workspace/./x" }] }],
  ["a path with an empty name", {
    files: [{ ...FILE, path: "/workspace//x" }],
  }],
  ["a path that ends with /", { files: [{ ...FILE, path: "/workspace/x/" }] }],
  ["a path from nowhere", { files: [{ ...FILE, path: "workspace/x" }] }],
  ["a path with NUL", { files: [{ ...FILE, path: "/workspace/x\0" }] }],
  ["a path of a sibling", { files: [{ ...FILE, path: "/workspace2/x" }] }],
  ["a long path", { files: [{ ...FILE, path: `/tmp/${"x".repeat(4096)}` }] }],
  ["a file twice", { files: [FILE, FILE] }],
  ["a root as a link", { files: [{ ...LINK, path: "/workspace" }] }],
  ["a file that is a link", { files: [{ ...FILE, link: "/" }] }],
  ["a file below a link", {
    files: [LINK, { ...FILE, path: "/workspace/a/b" }],
  }],
  ["a file far below a link", {
    files: [LINK, { ...FILE, path: "/workspace/a/b/c" }, {
      ...FILE,
      path: "/workspace/a.b",
    }],
  }],
  ["a file below a file", {
    files: [{ ...FILE, path: "/workspace/a/b" }, FILE],
  }],
  ["a removed file of another folder", { removed: ["/lib/python314.zip"] }],
  ["a standard stream", { streams: [{ ...STREAM, fd: 2 }] }],
  ["half a descriptor", { streams: [{ ...STREAM, fd: 3.5 }] }],
  ["a descriptor twice", { streams: [STREAM, STREAM] }],
  ["a high descriptor", { streams: [{ ...STREAM, fd: 1e9 }] }],
  ["a copy of nothing", { streams: [{ ...STREAM, same: 9 }] }],
  ["a copy of a standard stream", { streams: [{ ...STREAM, same: 1 }] }],
  ["a time that is none", { files: [{ ...FILE, mtime: null }] }],
  ["a time that is no date", { files: [{ ...FILE, mtime: 1e300 }] }],
  ["a clock that is none", { clock: "1" }],
  ["a folder that is none", { cwd: ".." }],
  ["another environment", {
    identity: { ...EXPECTED.identity, environment: "f" },
  }],
  ["another table", { identity: { ...EXPECTED.identity, tableLength: 8 } }],
  ["no identity", { identity: null }],
  ["no lists", { files: { length: 1 } }],
  ["a form that is none", { secrets: [{ ...SECRET, form: 0.5 }] }],
  ["many variables", { secrets: Array(1001).fill(SECRET) }],
  ["many places", {
    secrets: [{ ...SECRET, places: Array(MOST_PLACES / 2).fill(0) }, {
      ...SECRET,
      places: Array(MOST_PLACES / 2 + 1).fill(0),
    }],
  }],
];

Deno.test("a crafted checkpoint is refused before a worker sees it", () => {
  assertEquals(maybeRefused(toBytes(INDEX)), undefined);
  for (const [name, change, body] of HOSTILE) {
    const reason = maybeRefused(toBytes({ ...INDEX, ...change }, body));
    assertMatch(`${name}: ${reason}`, /: the saved session /);
  }
});

Deno.test("a checkpoint with a damaged start or index is refused", () => {
  const whole = toBytes(INDEX);
  const change = (at: number, to: number) => {
    const bytes = whole.slice();
    bytes[at] = to;
    return bytes;
  };
  const deep = new TextEncoder().encode(
    `${"[".repeat(MIB)}${"]".repeat(MIB)}`,
  );
  const nested = new Uint8Array(8 + deep.length);
  nested.set(whole.subarray(0, 4));
  new DataView(nested.buffer).setUint32(4, deep.length, true);
  nested.set(deep, 8);
  const damaged = [
    ...[new Uint8Array(), whole.subarray(0, 7), whole.subarray(0, -1)],
    ...[change(0, 0), change(7, 255), change(8, 0xff), nested],
    new Uint8Array(EXPECTED.memoryBytes + 40 * MIB),
  ];
  for (const bytes of damaged) {
    assertMatch(`${maybeRefused(bytes)}`, /^the saved session /);
  }
});

Deno.test("deep paths and many places cost about what reading them costs", () => {
  const deep = "/a".repeat(1900);
  const paths = Array.from({ length: 3000 }, (_, at) => `/tmp${deep}/${at}`);
  const files = paths.map((path) => ({ ...FILE, path }));
  const ranges = Array.from({ length: 8000 }, (_, at) => [2 * at * PAGE, PAGE]);
  const places = Array(MOST_PLACES).fill(2 * 7999 * PAGE);
  const bytes = toBytes({
    ...{ ...INDEX, memory: 64 * MIB, files, ranges },
    secrets: [{ ...SECRET, places }],
  }, ranges.length * PAGE);
  // The least of some rounds, as other programs take time from each.
  const timeOf = (step: () => void) =>
    Math.min(...[1, 2, 3].map(() => {
      const start = performance.now();
      step();
      return performance.now() - start;
    }));
  const reading = timeOf(() => {
    const text = new TextDecoder().decode(bytes.subarray(8, 8 + 12 * MIB));
    JSON.parse(JSON.stringify(text));
  });
  const all = timeOf(() => {
    const { body, ranges, secrets } = parseCheckpoint(bytes, EXPECTED);
    showSecrets(body, ranges, { secrets, variables: { A: "12345678" } });
  });
  assert(all < 40 * reading, `${all} ms, and reading takes ${reading} ms`);
});

Deno.test("a place of a variable outside of the saved pages is refused", () => {
  const ranges: [number, number][] = [[0, PAGE], [2 * PAGE, PAGE]];
  const variables = { A: "12345678" };
  const show = (place: number) => {
    const pages = new Uint8Array(2 * PAGE);
    const secrets = [{ ...SECRET, places: [place] }];
    showSecrets(pages, ranges, { secrets, variables });
    return pages.indexOf("1".charCodeAt(0));
  };
  assertEquals([0, PAGE - 8, 2 * PAGE, 3 * PAGE - 8].map(show), [
    ...[0, PAGE - 8, PAGE, 2 * PAGE - 8],
  ]);
  for (const place of [PAGE - 7, PAGE, 2 * PAGE - 1, 3 * PAGE - 7, 2 ** 40]) {
    let isRefused = false;
    try {
      show(place);
    } catch (error) {
      isRefused = error instanceof RangeError;
    }
    assert(isRefused, `${place}`);
  }
});

Deno.test("a state that no reader would take is not saved", () => {
  for (
    const change of [
      { immortalKeys: ["x".repeat(1001)] },
      { files: [{ ...FILE, path: `/tmp/${"x".repeat(4096)}` }] },
    ]
  ) {
    let reason = "";
    try {
      checkIndex(encodeIndex({ ...INDEX, ...change }), EXPECTED);
    } catch (error) {
      reason = `${error}`;
    }
    assertMatch(reason, /RangeError: the saved session/);
  }
});
