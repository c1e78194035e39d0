/**
 * Hashes that a user gives, over the real command.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { assertEquals, assertMatch } from "../deps/assert.ts";
import { makeCache, type TestCache } from "./support/cache.ts";
import type { Ended } from "./support/command.ts";
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
  says: RegExp;
}

const NOT_ALLOWED =
  /^error: Cannot install "mrp-fixture-x.*" as no wheel of it has a hash that is allowed\. Renew the hashes\.$/;

const REFUSED: Record<string, Case> = {
  "one that no file has": {
    lines: [`mrp-fixture-x==1.0 ${sha256(two)}`],
    files: [one, two],
    says: NOT_ALLOWED,
  },
  "a sha512 that is wrong": {
    lines: [`mrp-fixture-x==1.0 --hash=sha512:${sha512(two)}`],
    files: [one, two],
    says: NOT_ALLOWED,
  },
  "one that is missing for a dependency": {
    lines: [`mrp-fixture-more ${sha256(more)}`],
    files: [one, more],
    says:
      /^error: Cannot install mrp-fixture-x without a hash as other requirements have one\. Add --hash=sha256:/,
  },
  "an index that gives none, and has another file": {
    lines: [`mrp-fixture-x==1.0 ${sha256(two)}`],
    files: [bare],
    says: NOT_ALLOWED,
  },
  "an index that gives none, and has no file": {
    lines: [`mrp-fixture-x==1.0 ${sha256(one)}`],
    files: [bare],
    answers: { [path]: () => html("Gone", 404) },
    says: /^error: Cannot download mrp_fixture_x-1\.0\S+ from .* status 404/,
  },
  "a wheel of a folder that is another one": {
    lines: [`mrp-fixture-x ${sha256(two)}`],
    folder: [one],
    says: NOT_ALLOWED,
  },
  "an address that has another file": {
    lines: [`ORIGIN${path} ${sha256(two)}`],
    files: [one],
    says: NOT_ALLOWED,
  },
  "a sha512 in an address that has another file": {
    lines: [`ORIGIN${path}#sha512=${sha512(two)}`],
    files: [one],
    says: NOT_ALLOWED,
  },
};

Deno.test("only a file that has a given hash is installed", async (test) => {
  await using cache = await makeCache();
  await test.step("of whatever kind, from wherever", async () => {
    const [chosen, newer] = ["1.0", "2.0"].map((version) =>
      wheel({ name: "mrp-fixture-chosen", version })
    ) as [IndexFile, IndexFile];
    const long = wheel({ name: "mrp-fixture-long" });
    const linked = wheel({ name: "mrp-fixture-linked" });
    const ended = await install(cache, {
      lines: [
        `mrp-fixture-chosen ${sha256(other)} \\`,
        `  ${sha256(chosen)}`,
        `mrp-fixture-long==1.0 --hash=sha512:${sha512(long)}`,
        `mrp-fixture-linked ${sha256(linked)}`,
        `mrp-fixture-more[some]==1.0 ${sha256(more)}`,
        `ORIGIN/files/${other.filename}#sha256=${hash(other.bytes)}`,
        `mrp-fixture-x==1.0 ${sha256(one)}`,
      ],
      files: [chosen, newer, long, more, other, bare, two],
      folder: [linked],
    });
    assertEquals(ended.code, 0, ended.stderr);
    assertEquals(Object.entries(versions(ended)), [
      ...["chosen", "linked", "long", "more", "other", "x"]
        .map((name) => [`mrp-fixture-${name}`, "1.0"]),
    ]);
  });
  for (const [name, one] of Object.entries(REFUSED)) {
    await test.step(name, async () => {
      await cache.forgetWheels();
      const ended = await install(cache, one);
      assertMatch(told(ended).join("\n"), one.says);
      assertEquals([ended.code, ended.stdout], [1, ""]);
    });
  }
});

async function install(
  cache: TestCache,
  { lines, folder = [], files = [], ...how }: Omit<Case, "says">,
): Promise<Ended> {
  await using index = startIndex(files, how);
  const { origin } = new URL(index.url);
  const list = join(cache.folder, "requirements.txt");
  await Deno.writeTextFile(list, lines.join("\n").replaceAll("ORIGIN", origin));
  const links = await Deno.makeTempDir({ dir: cache.folder });
  for (const { filename, bytes } of folder) {
    await Deno.writeFile(join(links, filename), bytes);
  }
  return await cache.command([
    ...["--index-url", index.url, "--find-links", links],
    ...["--deps-file", list, "install"],
  ]);
}
