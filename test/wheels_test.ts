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
    says: /^Cannot unpack FILE: it would write to "os\.py\?\.txt", outside its/,
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
    says: /FILE cannot be read: its METADATA is larger than \d+ MiB/,
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
  "encrypted files": {
    file: withMember({ path: "secret.py", encrypted: true }),
    says: /^Cannot unpack FILE: .*secret\.py.* is encrypted.*\. Choose another/,
  },
  "a larger body than the index says": {
    file: { ...odd({}), says: { size: 100 } },
    says:
      /^Cannot download FILE from 127\.0\.0\.1:\d+: it is larger than 100 by/,
  },
  "a file name that leads elsewhere": {
    file: {
      ...odd({}),
      says: { filename: "mrp_fixture_odd-1.0-1/../../..-py3-none-any.whl" },
    },
    says: /^Cannot install "mrp-fixture-odd" as no source has a wheel of it/,
  },
};

Deno.test("a wheel that cannot be trusted is refused in a sentence, and harms nothing", async (test) => {
  await using cache = await makeCache();
  const untouched = cache.entries();
  for (const [name, { file, says, ...how }] of Object.entries(REFUSED)) {
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
