/**
 * What the cache gives without a network, over the real command.
 *
 * @module
 */
import { join } from "node:path";
import { assertEquals, assertMatch } from "../deps/assert.ts";
import { makeCache } from "./support/cache.ts";
import { WITHOUT_NET } from "./support/command.ts";
import { startIndex } from "./support/index_server.ts";
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
