import { assert, assertEquals, assertThrows } from "../../../deps/assert.ts";
import { UserError } from "../../errors.ts";
import {
  parseFromInstaller,
  parseFromInstallWorker,
  parsePreloadAnswer,
  parseResult,
} from "./messages.ts";

const HASH = "0123456789abcdef".repeat(4);
const WHEEL = { url: "u", file: "x-1.0-py3-none-any.whl", sha256: HASH };
const PACKAGE = {
  ...{ name: "x", version: "1", file: WHEEL.file, url: "u", sha256: HASH },
  ...{ size: 1, source: "s", place: "wheel", requested: true },
};
const FILES = ["x-1.0-py3-none-any.whl", "_x.zip", "0-1+local!2.whl"];
/** Names that lead elsewhere, or are of no file that is installed. */
const NO_FILES = [
  ...["", ".whl", "../x.whl", "a/x.whl", "/x.whl", "..\\x.whl", "C:x.whl"],
  ...["-x.whl", ".x.whl", "x.whl\n", "x.whl/..", "x.whl\0", "x y.whl", "é.whl"],
  ...["x.tar.gz", "x.whl.tmp", "x", 1, null, ["x.whl"]],
];
const NO_HASHES = [
  ...[HASH.slice(1), `${HASH}0`, HASH.toUpperCase(), `../${HASH.slice(3)}`],
  ...[`${HASH}\n`, "", 1, [HASH], {}],
];

Deno.test("parseFromInstallWorker() reads a wheel to fetch only by a file name and a hash", () => {
  const read = (wheel: object) =>
    parseFromInstallWorker({ type: "wheel", id: 1, wheel });
  for (const file of FILES) {
    const wheel = { ...WHEEL, file };
    assertEquals(read({ ...wheel, extra: 1 }), { type: "wheel", id: 1, wheel });
  }
  assert(read({ ...WHEEL, sha256: null, size: null }));
  for (const file of NO_FILES) assertThrows(() => read({ ...WHEEL, file }));
  for (const sha256 of NO_HASHES) {
    assertThrows(() => read({ ...WHEEL, sha256 }));
  }
  for (const lie of [{ size: "1" }, { url: 1 }, { url: undefined }]) {
    assertThrows(() => read({ ...WHEEL, ...lie }));
  }
});

Deno.test("parseFromInstallWorker() refuses what is outside the protocol", () => {
  const fetch = { type: "fetch", id: 1, url: "u", headers: { a: "b" } };
  assertEquals(parseFromInstallWorker(fetch), fetch);
  for (
    const lie of [
      ...[null, "fetch", [], {}, { type: "exit" }, { type: "ready" }],
      ...[{ ...fetch, id: 0.5 }, { ...fetch, id: "1" }, { ...fetch, url: 1 }],
      ...[{ ...fetch, headers: { a: 1 } }, { ...fetch, headers: "a" }],
      ...[{ type: "say", event: { type: "done" } }, { type: "say" }],
      { type: "say", event: { type: "warning", text: 1 } },
      { type: "say", event: { type: "download", file: "f", received: "1" } },
      { type: "broken" },
    ]
  ) assertThrows(() => parseFromInstallWorker(lie));
});

Deno.test("parseResult() reads planned packages only by file names and hashes, and tells a refusal without credentials", () => {
  const read = (more: object) =>
    parseResult("plan", { packages: [{ ...PACKAGE, ...more }] }).packages;
  assertEquals(read({ extra: 1 }), [PACKAGE]);
  const { sha256: _, ...unhashed } = PACKAGE;
  const plan = { packages: [unhashed] };
  assertEquals(parseResult("plan", plan), plan);
  for (const file of NO_FILES) assertThrows(() => read({ file }));
  for (const sha256 of NO_HASHES) assertThrows(() => read({ sha256 }));
  for (const name of ["name", "version", "url", "source", "place", "size"]) {
    assertThrows(() => read({ [name]: {} }));
  }
  const refuse = () =>
    parseResult("plan", { error: 'No "u:p@h".', exitCode: 2 });
  assertThrows(refuse, (error) => {
    assert(error instanceof UserError);
    assertEquals([error.message, error.exitCode], ['No "***@h".', 2]);
    return true;
  });
});

Deno.test("parseResult() takes nothing but what the result of a call should be", () => {
  assertEquals(parseResult("unpack", { imports: ["x"] }), { imports: ["x"] });
  const sources = [{ label: "s", trouble: null }, { label: "t", trouble: "t" }];
  assertEquals(parseResult("probe", { sources }), { sources });
  for (const lie of [["s"], [{ label: "s" }], [{ label: "s", trouble: 1 }]]) {
    assertThrows(() => parseResult("probe", { sources: lie }));
  }
  const bytes = new Uint8Array(1);
  assertEquals(parseResult("collect", [["a", bytes]]), [["a", bytes]]);
  for (const lie of [null, [], {}, { imports: "x" }, { imports: [1] }]) {
    assertThrows(() => parseResult("unpack", lie));
    assertThrows(() => parseResult("probe", lie));
  }
  for (const lie of [{}, [["a"]], [["a", "b"]], [["a", [1]]], [[1, bytes]]]) {
    assertThrows(() => parseResult("collect", lie));
  }
});

const PLACES = { head: 1, memory: 2, tableLength: 3, ranges: [[0, 1]] };

Deno.test("parseResult() of a snapshot reads whole numbers, and bytes", () => {
  const bytes = new Uint8Array(1);
  const snapshot = { ...PLACES, bytes };
  const good = { snapshot, libraries: [], folders: ["/f"] };
  assertEquals(parseResult("snapshot", good), good);
  for (const name of [...Object.keys(PLACES), "bytes"]) {
    for (const lie of [1.5, "1", null, [[1]], [[0, 1, 2]]]) {
      const snapshot = { ...PLACES, bytes, [name]: lie };
      assertThrows(() => parseResult("snapshot", { ...good, snapshot }));
    }
  }
  assertEquals(parseResult("snapshot", { fault: "it fails" }), {
    fault: "it fails",
  });
});

Deno.test("parsePreloadAnswer() makes one line of what a package has said, of bounded length", () => {
  const told = (reason: unknown) => {
    const problem = { module: "m", reason };
    const preloaded = { modules: [], whilePreparing: [], broken: [problem] };
    return parsePreloadAnswer({ preloaded }).preloaded.broken[0]?.reason;
  };
  assertEquals(told("a\n\r\n\tb\u2028c"), "a b c");
  assertEquals(told("x".repeat(10_000))?.length, 500);
  assertThrows(() => told(1));
  const index = { ...PLACES, libraries: [], folders: ["/f"] };
  const preloaded = { modules: [], whilePreparing: [], broken: [] };
  const read = (more: object) =>
    parsePreloadAnswer({ preloaded, index: { ...index, ...more } });
  assertEquals(read({}).index, index);
  for (
    const lie of [
      ...[{ head: 0.5 }, { folders: [1] }, { libraries: [{ path: "p" }] }],
      { libraries: [{ path: "p", handles: [0.5] }] },
    ]
  ) assertThrows(() => read(lie));
});

Deno.test("parseFromInstaller() reads what is installed only with hashes", () => {
  const read = (more: object) => {
    const installed = {
      ...{ folder: "/f", python: "3.14.2", requested: ["a"] },
      packages: [{ ...PACKAGE, imports: [], ...more }],
    };
    return parseFromInstaller(JSON.stringify({ type: "done", installed }));
  };
  assert(read({}));
  for (const sha256 of NO_HASHES) assertThrows(() => read({ sha256 }));
  for (const lie of [{ imports: "x" }, { imports: [1] }, { name: 1 }]) {
    assertThrows(() => read(lie));
  }
  for (
    const lie of [
      ...["", "{", "null", "[]", '{"type":"exit"}', '{"type":"plan"}'],
      '{"type":"error","message":"m","exitCode":0.5}',
      '{"type":"preload","wanted":{"environment":"/e","modules":"m"}}',
    ]
  ) assertThrows(() => parseFromInstaller(lie));
});
