/**
 * Hashes that a user gives, over the real command.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { assertEquals, assertMatch } from "../deps/assert.ts";
import { makeCache } from "./support/cache.ts";
import { html, type IndexOptions, startIndex } from "./support/index_server.ts";
import { told, versions } from "./support/told.ts";
import { hash, type IndexFile, wheel } from "./support/wheel.ts";

const one = wheel({ name: "mrp-fixture-x", version: "1.0" });
const two = wheel({ name: "mrp-fixture-x", version: "2.0" });
const more = wheel({
  name: "mrp-fixture-more",
  requires: ["mrp-fixture-x"],
  extras: ["some"],
});
const other = wheel({ name: "mrp-fixture-other" });
/** Of an index that gives no hashes. */
const bare = { ...one, says: { hashes: {} } };
const path = `/files/${one.filename}`;

function sha256({ bytes }: IndexFile): string {
  return `--hash=sha256:${hash(bytes)}`;
}

function sha512({ bytes }: IndexFile): string {
  return createHash("sha512").update(bytes).digest("hex");
}

interface Case extends IndexOptions {
  /** Of a requirements file. */
  lines: string[];
  /** For `--find-links`. */
  folder?: IndexFile[];
  files?: IndexFile[];
  /** Versions, or an error. */
  gives: Record<string, string> | RegExp;
}

const X1 = { "mrp-fixture-x": "1.0" };
const NOT_ALLOWED =
  /^error: Cannot install "mrp-fixture-x.*" as no wheel of it has a hash that is allowed\. Renew the hashes\.$/;

const CASES: Record<string, Case> = {
  "one of several chooses the version": {
    lines: [`mrp-fixture-x ${sha256(other)} \\`, `  ${sha256(one)}`],
    files: [one, two],
    gives: X1,
  },
  "one that no file has": {
    lines: [`mrp-fixture-x==1.0 ${sha256(two)}`],
    files: [one, two],
    gives: NOT_ALLOWED,
  },
  "a sha512 is computed": {
    lines: [`mrp-fixture-x==1.0 --hash=sha512:${sha512(one)}`],
    files: [one, two],
    gives: X1,
  },
  "a sha512 that is wrong": {
    lines: [`mrp-fixture-x==1.0 --hash=sha512:${sha512(two)}`],
    files: [one, two],
    gives: NOT_ALLOWED,
  },
  "one that is missing for a dependency": {
    lines: [`mrp-fixture-more ${sha256(more)}`],
    files: [one, more],
    gives:
      /^error: Cannot install mrp-fixture-x without a hash as other requirements have one\. Add --hash=sha256:/,
  },
  "all are there, of extras and of an address, too": {
    lines: [
      `mrp-fixture-more[some]==1.0 ${sha256(more)}`,
      `ORIGIN${path}#sha256=${hash(one.bytes)}`,
    ],
    files: [one, two, more],
    gives: { "mrp-fixture-more": "1.0", ...X1 },
  },
  "an index that gives none": {
    lines: [`mrp-fixture-x==1.0 ${sha256(one)}`],
    files: [bare],
    gives: X1,
  },
  "an index that gives none, and has another file": {
    lines: [`mrp-fixture-x==1.0 ${sha256(two)}`],
    files: [bare],
    gives: NOT_ALLOWED,
  },
  "an index that gives none, and has no file": {
    lines: [`mrp-fixture-x==1.0 ${sha256(one)}`],
    files: [bare],
    answers: { [path]: () => html("Gone", 404) },
    gives: /^error: Cannot download mrp_fixture_x-1\.0\S+ from .* status 404/,
  },
  "a wheel of a folder": {
    lines: [`mrp-fixture-x ${sha256(one)}`],
    folder: [one, two],
    gives: X1,
  },
  "a wheel of a folder that is another one": {
    lines: [`mrp-fixture-x ${sha256(two)}`],
    folder: [one],
    gives: NOT_ALLOWED,
  },
  "an address that has another file": {
    lines: [`ORIGIN${path} ${sha256(two)}`],
    files: [one],
    gives: NOT_ALLOWED,
  },
  "a sha512 in an address that has another file": {
    lines: [`ORIGIN${path}#sha512=${sha512(two)}`],
    files: [one],
    gives: NOT_ALLOWED,
  },
};

Deno.test("only a file that has a given hash is installed", async (test) => {
  await using cache = await makeCache();
  for (
    const [name, { lines, folder, files, gives, ...how }] of Object.entries(
      CASES,
    )
  ) {
    await test.step(name, async () => {
      await cache.forgetWheels();
      await using index = startIndex(files ?? [], how);
      const { origin } = new URL(index.url);
      const list = join(cache.folder, "requirements.txt");
      await Deno.writeTextFile(
        list,
        lines.join("\n").replaceAll("ORIGIN", origin),
      );
      const links = await Deno.makeTempDir({ dir: cache.folder });
      for (const { filename, bytes } of folder ?? []) {
        await Deno.writeFile(join(links, filename), bytes);
      }
      const ended = await cache.command([
        ...["--index-url", index.url, "--find-links", links],
        ...["--deps-file", list, "install"],
      ]);
      if (gives instanceof RegExp) {
        assertMatch(told(ended).join("\n"), gives);
        assertEquals([ended.code, ended.stdout], [1, ""]);
      } else assertEquals(versions(ended), gives, ended.stderr);
    });
  }
});
