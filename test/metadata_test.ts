/**
 * Resolving by metadata alone (PEP 658), over the real command and an index on
 * loopback that counts requests.
 *
 * @module
 */
import { assertEquals, assertMatch } from "../deps/assert.ts";
import { join } from "node:path";
import { makeCache } from "./support/cache.ts";
import {
  type IndexOptions,
  startIndex,
  type TestIndex,
} from "./support/index_server.ts";
import { told, versions } from "./support/told.ts";
import { hash, wheel } from "./support/wheel.ts";

/** Each version but the first clashes with the other package. */
const CLASHING = [5, 4, 3, 2, 1].map((version) =>
  wheel({
    name: "mrp-fixture-app",
    version: `${version}.0`,
    requires: [`mrp-fixture-base>=${version}`, "mrp-fixture-old"],
    files: { "mrp_fixture_app/padding.txt": "x".repeat(300_000) },
  })
);
const BASES = [5, 1].map((version) =>
  wheel({ name: "mrp-fixture-base", version: `${version}.0` })
);
const OLD = wheel({
  name: "mrp-fixture-old",
  requires: ["mrp-fixture-base<2"],
});
const FILES = [...CLASHING, ...BASES, OLD];
const GIVEN = {
  "mrp-fixture-app": "1.0",
  "mrp-fixture-base": "1.0",
  "mrp-fixture-old": "1.0",
};
const CHOSEN = FILES.filter(({ version }) => version === "1.0");

/** Wheels that were downloaded, in alphabetical order. */
function wheelsOf({ requests }: TestIndex): string[] {
  return requests.flatMap((path) => /^\/files\/(.*whl)$/.exec(path)?.[1] ?? [])
    .sort();
}

function metadataOf({ requests }: TestIndex): string[] {
  return requests.filter((path) => path.endsWith(".metadata"));
}

Deno.test("a plan, a lock file and a search for versions need no wheel where an index serves metadata", async (test) => {
  await using cache = await makeCache();
  for (const form of ["json", "html"] as const) {
    await test.step(`from pages in ${form}`, async () => {
      const options: IndexOptions = { form, metadata: "served" };
      await using index = startIndex(FILES, options);
      const wanted = ["--index-url", index.url, "--deps", "mrp-fixture-app"];
      const plan = await cache.command([...wanted, "install", "--dry-run"]);
      assertEquals(versions(plan), GIVEN, plan.stderr);
      assertMatch(plan.stdout, /^mrp-fixture-app .* 295 KiB +to download$/m);
      assertMatch(plan.stdout, /^3 packages, 297 KiB to download$/m);
      assertEquals(wheelsOf(index), []);
      const asked = metadataOf(index);
      assertEquals(new Set(asked).size, asked.length);
      assertEquals(asked.length, FILES.length);

      const path = join(cache.folder, `${form}.lock`);
      const lock = await cache.command([...wanted, "lock", path]);
      assertEquals(lock.code, 0, lock.stderr);
      assertEquals(wheelsOf(index), []);
      const locked = await Deno.readTextFile(path);
      for (const { bytes } of CHOSEN) {
        assertMatch(locked, new RegExp(`^size = ${bytes.length}$`, "m"));
        assertMatch(locked, new RegExp(`^sha256 = "${hash(bytes)}"$`, "m"));
      }
      // An index tells sizes in JSON only.
      const heads = index.requests.filter((path) => path.startsWith("HEAD"));
      assertEquals(heads.length, form === "json" ? 0 : 2 * CHOSEN.length);
    });
  }
  await test.step("and an install has the chosen wheels alone", async () => {
    await using index = startIndex(FILES, { metadata: "served" });
    const wanted = ["--index-url", index.url, "--deps", "mrp-fixture-app"];
    const installed = await cache.command([...wanted, "install"]);
    assertEquals(versions(installed), GIVEN, installed.stderr);
    assertEquals(told(installed), []);
    assertEquals(
      wheelsOf(index),
      CHOSEN.map(({ filename }) => filename).sort(),
    );
  });
});

Deno.test("an index that serves other metadata than the wheel has is not trusted", async (test) => {
  await using cache = await makeCache();
  const honest = wheel({ name: "mrp-fixture-a", requires: ["mrp-fixture-b"] });
  const metadata = String(honest.metadata);
  const dependency = wheel({ name: "mrp-fixture-b" });
  const other = metadata.replace(/^Requires-Dist.*\n/m, "");
  const trust =
    /^error: Cannot trust mrp_fixture_a-1\.0-py3-none-any\.whl: inside it has other requirements than the package index at \S+ tells\. Try again, or name another source\.$/;
  const cases: Record<string, [metadata: string, says?: RegExp]> = {
    "requirements are left out": [other, trust],
    "an extra is added": [`Provides-Extra: more\n${metadata}`, trust],
    "a description differs": [`${metadata}\nAbout it.\n`],
    "their order differs": [
      metadata.split("\n").reverse().join("\n").trimStart(),
    ],
  };
  for (const [name, [metadata, says]] of Object.entries(cases)) {
    await test.step(name, async () => {
      await using index = startIndex([{ ...honest, metadata }, dependency], {
        metadata: "served",
      });
      const ended = await cache.command([
        ...["--index-url", index.url, "--deps", "mrp-fixture-a", "install"],
      ]);
      assertEquals(ended.code, says ? 1 : 0, ended.stderr);
      if (says) assertMatch(told(ended).join("\n"), says);
    });
  }
  await test.step("its hash is another than the page says", async () => {
    const says = { "core-metadata": { sha256: hash("else") } };
    await using index = startIndex([{ ...honest, says }, dependency], {
      metadata: "served",
    });
    const ended = await cache.command([
      ...["--index-url", index.url, "--deps", "mrp-fixture-a", "install"],
    ]);
    assertMatch(
      told(ended).join("\n"),
      /^error: Cannot install mrp-fixture-a 1\.0 from the package index at \S+: the sha256 of its metadata is [0-9a-f]{64}, and should be [0-9a-f]{64}\. Try again/,
    );
    assertEquals(wheelsOf(index), []);
  });
});
