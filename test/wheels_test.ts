/**
 * Wheels that are odd, broken or hostile, over the real command: each is
 * installed as pip would, or refused in a sentence.
 *
 * @module
 */
import { gzipSync } from "node:zlib";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { archive, type Member } from "./support/archive.ts";
import { makeCache } from "./support/cache.ts";
import { html, type IndexOptions, startIndex } from "./support/index_server.ts";
import { someOf } from "./support/rounds.ts";
import {
  hash,
  type IndexFile,
  wheel,
  type WheelSpec,
} from "./support/wheel.ts";

const NAME = "mrp-fixture-odd";
const FILE = "mrp_fixture_odd-1.0-py3-none-any.whl";
const INFO = "mrp_fixture_odd-1.0.dist-info";
const METADATA = `Metadata-Version: 2.4\nName: ${NAME}\nVersion: 1.0\n`;
const WHEEL = "Wheel-Version: 1.0\nTag: py3-none-any\n";
const SYMBOLIC_LINK = 0o120777;

interface Case extends IndexOptions {
  file: IndexFile;
  says: RegExp;
}

function odd(spec: Omit<WheelSpec, "name">): IndexFile {
  return wheel({ name: NAME, ...spec });
}

/** A wheel of just these. */
function raw(members: Member[]): IndexFile {
  return { ...odd({}), bytes: archive(members) };
}

function withMember(member: Member): IndexFile {
  return odd({ members: [member] });
}

const REFUSED: Record<string, Case> = {
  "another name inside": {
    file: odd({ spoil: (text) => text.replace(NAME, "mrp-fixture-else") }),
    says: /^Cannot trust FILE: inside it says that it is mrp-fixture-else 1\.0/,
  },
  "another version inside": {
    file: odd({ spoil: (text) => text.replace("1.0", "1.1") }),
    says: /^Cannot trust FILE: inside it says that it is mrp-fixture-odd 1\.1/,
  },
  "other tags inside": {
    file: odd({ tagInside: "cp314-cp314-win_amd64" }),
    says: /^Cannot trust FILE: .* is for cp314-cp314-win_amd64\./,
  },
  "tags inside that are none": {
    file: odd({ tagInside: "any" }),
    says: /^Cannot trust FILE: inside it says that it is for any\./,
  },
  "no .dist-info folder": {
    file: raw([{ path: "mrp_fixture_odd.py" }]),
    says: /FILE has no METADATA, or more than one/,
  },
  "two .dist-info folders": {
    file: withMember({ path: "else-2.0.dist-info/METADATA", data: METADATA }),
    says: /FILE has no METADATA, or more than one/,
  },
  "two .dist-info folders, one of them without METADATA": {
    file: withMember({ path: "else-2.0.dist-info/WHEEL", data: WHEEL }),
    says: /^Cannot unpack FILE: it has 2 \.dist-info folders, and should have/,
  },
  "no WHEEL": {
    file: raw([{ path: `${INFO}/METADATA`, data: METADATA }]),
    says:
      /^Cannot unpack FILE: it has no mrp_fixture_odd-1\.0\.dist-info\/WHEEL/,
  },
  "an absolute path": {
    file: withMember({ path: "/lib/python3.14/os.py" }),
    says: /^Cannot unpack FILE: it would write to "\/lib\/python3\.14\/os\.py"/,
  },
  "a path up, out of its .data folder": {
    file: withMember({ path: "x.data/purelib/../../../os.py" }),
    says: /^Cannot unpack FILE: it would write to "x\.data\/.*", outside its/,
  },
  "a path with a backslash": {
    file: withMember({ path: "..\\outside.py" }),
    says: /^Cannot unpack FILE: it would write to "\.\.\\outside\.py", outside/,
  },
  "a path with a NUL": {
    file: withMember({ path: "os.py\0.txt" }),
    says:
      /^Cannot unpack FILE: it would write to "os\.py\\u0000\.txt", outside its/,
  },
  "a file name of too many bytes": {
    file: withMember({ path: `x/${"数".repeat(86)}` }),
    says: /^Cannot unpack FILE: a file name has more than 255 bytes, in "x\/数/,
  },
  "a path that is no text": {
    file: withMember({ path: Uint8Array.of(0x61, 0xff) }),
    says: /FILE cannot be read: .*utf-8/,
  },
  "more bytes than there may be": {
    file: withMember({ path: "zeros", deflate: true, saidSize: 2 ** 32 - 2 }),
    says: /^Cannot unpack FILE: it holds more than 2 GiB, or than 200000 files/,
  },
  "more METADATA than there may be": {
    file: raw([{
      path: `${INFO}/METADATA`,
      data: METADATA + "\n".repeat(50_000_000),
      deflate: true,
    }]),
    says: /its METADATA is larger than 16 MiB/,
  },
  "more bytes than it says": {
    file: withMember({
      path: "zeros",
      data: new Uint8Array(1_000_000),
      deflate: true,
      saidSize: 10,
    }),
    says: /^Cannot unpack FILE: Bad CRC-32 for file 'zeros'\. Choose another/,
  },
  "more files than there may be": {
    file: raw([
      { path: `${INFO}/METADATA`, data: METADATA },
      ...Array.from({ length: 250_000 }, (_, at) => ({ path: `${at}` })),
    ]),
    says: /^Cannot unpack FILE: it holds more than 2 GiB, or than 200000 files/,
  },
  "encrypted files": {
    file: withMember({ path: "secret.py", encrypted: true }),
    says: /^Cannot unpack FILE: .*secret\.py.* is encrypted.*\. Choose another/,
  },
  "a larger body than the index says": {
    file: { ...odd({}), says: { size: 100 } },
    says:
      /^Cannot download FILE from 127\.0\.0\.1:\d+: it is larger than 100 by/,
  },
  "a body without end": {
    file: odd({}),
    answers: { [`/files/${FILE}`]: () => new Response(endless()) },
    says:
      /^Cannot download FILE from 127\.0\.0\.1:\d+: it is larger than \d+ by/,
  },
  "a file name that leads elsewhere": {
    file: {
      ...odd({}),
      says: { filename: "mrp_fixture_odd-1.0-1/../../..-py3-none-any.whl" },
    },
    says: /^Cannot find a package named "mrp-fixture-odd"\./,
  },
};

/** A body that only its reader can end. */
function endless(): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(1024)),
  });
}

/** Of each check: names, paths, sizes, the download. */
const FEW = [
  ...[
    "another name inside",
    "tags inside that are none",
    "no .dist-info folder",
  ],
  ...["an absolute path", "a path up, out of its .data folder"],
  ...["more bytes than there may be", "more bytes than it says"],
  ...["a larger body than the index says", "a file name that leads elsewhere"],
];

Deno.test("a wheel that cannot be trusted is refused in a sentence, and harms nothing", async (test) => {
  await using cache = await makeCache();
  const untouched = cache.entries();
  for (const [name, { file, says, ...how }] of someOf(REFUSED, FEW)) {
    await test.step(name, async () => {
      await using index = startIndex([file], how);
      const { code, stdout, stderr } = await cache.command([
        ...["--index-url", index.url, "--deps", NAME, "install"],
      ]);
      const told = stderr.split("\n").filter((line) => /^error: /.test(line));
      assertEquals(told.length, 1, stderr);
      assertMatch(
        String(told[0]).replace("error: ", "").replaceAll("\0", "?"),
        RegExp(says.source.replaceAll("FILE", FILE.replaceAll(".", "\\."))),
      );
      assertEquals([code, stdout], [1, ""]);
      assert(!/Traceback|PythonError|\.ts:/.test(stderr), stderr);
      assertEquals(cache.entries(), untouched);
    });
  }
});

/** As long as can be; its compiled file would be longer. */
const LONG = "n".repeat(252);
/** Deeper than a compiler of Python can go. */
const DEEP = `${"-".repeat(100_000)}1`;

const GOOD = [
  wheel({
    name: "mrp-fixture-data",
    members: Object.entries({
      "purelib/mrp_pure.py": "",
      "platlib/mrp_plat/__init__.py": "",
      "scripts/mrp-script": "",
      "headers/mrp.h": "",
      "data/share/mrp.txt": "",
    }).map(([path, data]) => ({
      path: `mrp_fixture_data-1.0.data/${path}`,
      data,
    })),
  }),
  wheel({
    name: "mrp-fixture-paths",
    members: [
      { path: "mrp_paths/__init__.py" },
      { path: "mrp_paths/again.py", data: "version = 1" },
      { path: "mrp_paths/again.py", data: "version = 2" },
      { path: "mrp_paths/deep.py", data: DEEP },
      { path: "mrp_paths/link.py", data: "/etc/passwd", mode: SYMBOLIC_LINK },
      { path: `mrp_paths/${LONG}.py` },
      { path: `mrp_paths/${"folder/".repeat(100)}far.txt` },
      { path: "mrp_paths/größe_数.py", data: "version = 3" },
      { path: "mrp_paths/none/" },
    ],
  }),
  wheel({ name: "mrp-fixture-zipped" }),
  wheel({ name: "mrp-fixture-many", version: "1.19999" }),
];

const SHOW = `
import os, stat
from mrp_paths import again, größe_数
import mrp_fixture_data, mrp_fixture_many, mrp_fixture_zipped, mrp_pure, mrp_plat
site = os.path.dirname(mrp_pure.__file__)
print(again.version, größe_数.version, mrp_fixture_many.version)
with open(f"{site}/mrp_paths/link.py") as file:
    print(file.read(), os.path.islink(file.name))
found = [name for _, folders, names in os.walk("/") for name in folders + names]
print([name for name in ("mrp-script", "mrp.h", "mrp.txt") if name in found])
print(max(map(len, os.listdir(f"{site}/mrp_paths"))), "far.txt" in found)`;

Deno.test("a wheel that is odd is installed, and so is one of many and one sent compressed", async () => {
  await using cache = await makeCache();
  const links = Array.from({ length: 20_000 }, (_, at) => {
    const file = `mrp_fixture_many-1.${at}-py3-none-any.whl`;
    return `<a href="/files/${file}">${file}</a>`;
  });
  const zipped = GOOD.find(({ project }) => project === "mrp-fixture-zipped");
  assert(zipped);
  await using index = startIndex(GOOD, {
    answers: {
      "/simple/mrp-fixture-many/": () => html(links.join("\n")),
      [`/files/${zipped.filename}`]: () =>
        new Response(new Uint8Array(gzipSync(zipped.bytes)), {
          headers: { "content-encoding": "gzip" },
        }),
    },
  });
  const names = GOOD.map(({ project }) => project).join(",");
  const run = await cache.command([
    ...["--index-url", index.url, "--deps", names, "run", "-c", SHOW],
  ]);
  assertEquals(
    run.stdout,
    "2 3 1.19999\n/etc/passwd False\n[]\n255 True\n",
    run.stderr,
  );
  const stored = `${cache.folder}/wheels/${hash(zipped.bytes)}`;
  assertEquals(
    await Deno.readFile(`${stored}/${zipped.filename}`),
    zipped.bytes,
  );
});
