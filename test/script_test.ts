/**
 * What scripts (PEP 723) and requirements files ask for, over the real command.
 *
 * @module
 */
import { join } from "node:path";
import { assertEquals, assertMatch } from "../deps/assert.ts";
import { makeCache } from "./support/cache.ts";
import { startIndex } from "./support/index_server.ts";
import { told, versions } from "./support/told.ts";
import { hash, wheel } from "./support/wheel.ts";

const files = ["1.0", "2.0"].flatMap((version) => [
  wheel({ name: "mrp-fixture-a", version, requires: ["mrp-fixture-b"] }),
  wheel({ name: "mrp-fixture-b", version }),
]);
const local = wheel({ name: "mrp-fixture-local" });

Deno.test("a script says what it needs, and has it", async (test) => {
  await using cache = await makeCache();
  await using index = startIndex(files);
  const source = ["--index-url", index.url];
  const path = join(cache.folder, "script.py");
  await Deno.writeFile(join(cache.folder, local.filename), local.bytes);
  const code = (python: string) =>
    `#!/usr/bin/env python
# /// script
# requires-python = "${python}"
# dependencies = [
#   "mrp-fixture-a<2",
#   "./${local.filename}",
# ]
# ///
import mrp_fixture_a as a, mrp_fixture_b as b, mrp_fixture_local
print(a.version, b.version)
`;
  await test.step("beside what the command line says", async () => {
    await Deno.writeTextFile(path, code(">=3.11"));
    const ended = await cache.command([
      ...[...source, "--deps", "mrp-fixture-b<2", "run", path],
    ]);
    assertEquals(ended.stdout, "1.0 1.0\n", ended.stderr);
  });
  await test.step("which may clash", async () => {
    const ended = await cache.command([
      ...[...source, "--deps", "mrp-fixture-a>1", "run", path],
    ]);
    assertMatch(
      told(ended).join("\n"),
      /^error: Cannot find one version of mrp-fixture-a for all: it is wanted as "mrp-fixture-a>1" by you and "mrp-fixture-a<2" by you\./,
    );
    assertEquals(ended.code, 1);
  });
  await test.step("not if it is for another Python", async () => {
    await Deno.writeTextFile(path, code("<3"));
    const ended = await cache.command([...source, "run", path]);
    assertMatch(told(ended).join("\n"), /requires Python <3, and this is 3\./);
    assertEquals([ended.code, ended.stdout], [1, ""]);
  });
});

Deno.test("requirements files lead to others, with bounds and hashes", async () => {
  await using cache = await makeCache();
  await using index = startIndex(files);
  const folder = join(cache.folder, "files");
  await Deno.mkdir(join(folder, "deep"), { recursive: true });
  const [a, b] = files;
  for (
    const [name, lines] of Object.entries({
      "all.txt": ["-r deep/more.txt  # the rest", "-c deep/bounds.txt"],
      "deep/more.txt": [
        `mrp-fixture-a \\`,
        `  --hash=sha256:${hash(a?.bytes ?? "")} \\`,
        `  --hash sha256:${hash("another build")}`,
        "-r ../dep.txt",
      ],
      "deep/bounds.txt": ["mrp_fixture_B<2", "mrp-fixture-gone==1"],
      "dep.txt": [`mrp-fixture-b --hash=sha256:${hash(b?.bytes ?? "")}`],
    })
  ) await Deno.writeTextFile(join(folder, name), lines.join("\n"));
  const ended = await cache.command([
    ...["--index-url", index.url, "--deps-file", join(folder, "all.txt")],
    "install",
  ]);
  assertEquals(versions(ended), {
    "mrp-fixture-a": "1.0",
    "mrp-fixture-b": "1.0",
  }, ended.stderr);
});
