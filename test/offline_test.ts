/**
 * What the cache gives without a network, over the real command.
 *
 * @module
 */
import { join } from "node:path";
import { assertEquals, assertMatch } from "../deps/assert.ts";
import { makeCache } from "./support/cache.ts";
import { type Ended, WITHOUT_NET } from "./support/command.ts";
import { distributionAnswers } from "./support/distribution.ts";
import { startIndex } from "./support/index_server.ts";
import { startServer } from "./support/server.ts";
import { told, versions } from "./support/told.ts";
import { hash, wheel } from "./support/wheel.ts";

const files = [
  wheel({ name: "mrp-fixture-above", requires: ["mrp-fixture-below>=1"] }),
  wheel({ name: "mrp-fixture-below", version: "1.5", extras: ["beside"] }),
  wheel({ name: "mrp-fixture-beside" }),
];
const [, below, beside] = files;

Deno.test("what is in the cache serves without a network", async (test) => {
  await using cache = await makeCache();
  await using index = startIndex(files);
  const from = ["--index-url", index.url, "--deps"];
  const filled = await cache.command([
    ...[...from, "mrp-fixture-above,mrp-fixture-beside", "install"],
  ]);
  assertEquals(filled.code, 0, filled.stderr);
  const wheels = join(cache.folder, "wheels");
  index.requests.length = 0;
  await test.step("another list of requirements is installed from its wheels", async () => {
    const code = `
import mrp_fixture_below as it
try:
    import mrp_fixture_above
except ImportError:
    print(it.version)`;
    const args = [...from, "mrp_fixture.below<2", "run", "-c", code];
    const first = await cache.command(["--offline", ...args], {
      flags: WITHOUT_NET,
    });
    assertEquals(first.stdout, "1.5\n", first.stderr);
    // An environment that is there needs no network, and no --offline.
    const again = await cache.command(args, { flags: WITHOUT_NET });
    assertEquals([again.stdout, again.stderr], ["1.5\n", ""]);
  });
  const refused: Record<string, [wanted: string, says: RegExp]> = {
    "a version that is not there is named": [
      "mrp-fixture-below>=2",
      /^error: Cannot find a version of mrp-fixture-below that satisfies "mrp-fixture-below>=2": the newest is 1\.5/m,
    ],
    "a package that is not there is named": [
      "mrp-fixture-elsewhere",
      /^error: Cannot find .*"mrp-fixture-elsewhere".*--offline/m,
    ],
    "an address is not asked": [
      `${new URL(index.url).origin}/files/${below?.filename}`,
      /^error: Cannot .*mrp_fixture_below-1\.5-py3-none-any\.whl.*--offline/m,
    ],
  };
  for (const [name, [wanted, says]] of Object.entries(refused)) {
    await test.step(name, async () => {
      const args = ["--offline", ...from, wanted, "install"];
      const { code, stdout, stderr } = await cache.command(args);
      assertMatch(stderr, says);
      assertEquals([code, stdout], [1, ""]);
    });
  }
  await test.step("a wheel that is gone is named", async () => {
    const lost = hash(beside?.bytes ?? "");
    await Deno.remove(join(wheels, lost), { recursive: true });
    const wanted = "mrp-fixture-beside,mrp-fixture-below";
    const { code, stderr } = await cache.command([
      ...["--offline", ...from, wanted, "install"],
    ]);
    assertMatch(stderr, /^error: Cannot find .*"mrp-fixture-beside"/m);
    assertEquals(code, 1);
  });
  assertEquals(index.requests, []);
});

Deno.test("offline, a project has wheels of its own sources only", async (test) => {
  await using cache = await makeCache();
  const make = (version: string) =>
    wheel({ name: "mrp-fixture-shared", version });
  const [secret, open] = [make("99.0"), make("1.0")];
  const called = wheel({ name: "mrp-fixture-called" });
  const inDist = wheel({ name: "mrp-fixture-dist" });
  await using theirs = startIndex([secret, called], {
    answers: distributionAnswers("/dist/", [
      { ...inDist, name: inDist.project },
    ]),
  });
  const theirDist = ["--dist", `${theirs.origin}/dist`];
  await using ours = startIndex([open]);
  const offline = (url: string, deps: string, ...more: string[]) =>
    cache.command([
      ...["--offline", "--index-url", url, "--deps", deps],
      ...[...more, "install"],
    ]);
  const assertAbsent = ({ code, stdout, stderr }: Ended) => {
    assertMatch(stderr, /^error: Cannot find a wheel of .* offline\. Tried /m);
    assertEquals([code, stdout], [1, ""]);
  };
  const filled = await cache.command([
    ...[...theirDist, "--index-url", theirs.url],
    ...["--deps", "mrp-fixture-shared,mrp-fixture-dist", "install"],
  ]);
  assertEquals(filled.code, 0, filled.stderr);

  await test.step("another project's are not among them", async () => {
    assertAbsent(await offline(ours.url, "mrp-fixture-shared"));
  });
  await test.step("nor are those that its calls had installed", async () => {
    await using server = await startServer([
      ...["--cache-dir", cache.folder, "--index-url", theirs.url],
      ...["--allow-install", "mrp-fixture-called"],
    ]);
    const { returnValue, text } = await server.call(
      '# /// script\n# dependencies = ["mrp-fixture-called"]\n# ///\n' +
        "import mrp_fixture_called; 1",
    );
    assertEquals(returnValue, 1, text);
    assertAbsent(await offline(ours.url, "mrp-fixture-called"));
  });
  await test.step("a hash that the project names decides", async () => {
    const ended = await offline(
      ours.url,
      `mrp-fixture-shared --hash=sha256:${hash(secret.bytes)}`,
    );
    assertEquals(
      versions(ended),
      { "mrp-fixture-shared": "99.0" },
      told(ended).join(),
    );
  });
  await test.step("each project has its own, calls' among them", async () => {
    const filled = await cache.command([
      ...["--index-url", ours.url, "--deps", "mrp-fixture-shared", "install"],
    ]);
    assertEquals(filled.code, 0, filled.stderr);
    const wanted = "mrp-fixture-shared>=1";
    const its = await offline(ours.url, wanted);
    assertEquals(versions(its), { "mrp-fixture-shared": "1.0" }, its.stderr);
    const another = await offline(
      theirs.url,
      `${wanted},mrp-fixture-called,mrp-fixture-dist`,
      ...theirDist,
    );
    assertEquals(versions(another), {
      "mrp-fixture-called": "1.0",
      "mrp-fixture-dist": "1.0",
      "mrp-fixture-shared": "99.0",
    }, another.stderr);
  });
  await test.step("a project that one index has is not looked for in the next", async () => {
    const extra = ["--extra-index-url", theirs.url];
    const ended = await offline(ours.url, "mrp-fixture-shared<2", ...extra);
    assertMatch(
      ended.stderr,
      /^error: Cannot find a version of mrp-fixture-shared .*: the newest is 99\.0\.$/m,
    );
  });
  await test.step("a wheel whose source the cache does not know is not offered", async () => {
    const folder = join(cache.folder, "wheels", hash(open.bytes));
    for (const { name } of await Array.fromAsync(Deno.readDir(folder))) {
      if (name !== open.filename) await Deno.remove(join(folder, name));
    }
    assertAbsent(await offline(ours.url, "mrp-fixture-shared>=0.5"));
  });
});
