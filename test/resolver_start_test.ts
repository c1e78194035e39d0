/**
 * The resolver's start over real processes: installs use it, and make it anew if
 * it is damaged; only an install needs the base beside it.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import {
  damagedFiles,
  maybeOpenEnvironment,
} from "../src/environments/environment.ts";
import { baseFolder, makeCache, resolverStart } from "./support/cache.ts";
import { startIndex } from "./support/index_server.ts";
import { wheel } from "./support/wheel.ts";

const fixture = wheel({ name: "mrp-fixture-good" });

Deno.test("the resolver starts from its snapshot, and makes it anew if it is damaged or absent", async (test) => {
  await using cache = await makeCache();
  await using index = startIndex([fixture]);
  const folder = resolverStart(cache.folder);
  const snapshot = join(folder, "snapshot.bin");
  const sources = ["--index-url", index.url, "--deps", "mrp-fixture-good"];
  const plan = async () => {
    const planned = await cache.command([...sources, "install", "--dry-run"]);
    assertMatch(planned.stdout, /^mrp-fixture-good +1\.0 /m, planned.stderr);
    const start = maybeOpenEnvironment(folder);
    assert(start);
    assertEquals(await damagedFiles(start), []);
  };
  await test.step("a use renews its date, and writes no snapshot", async () => {
    const before = await Deno.stat(snapshot);
    const used = join(folder, "used");
    await Deno.utime(used, 0, 0);
    await plan();
    assert((await Deno.stat(used)).mtime?.getTime());
    assertEquals((await Deno.stat(snapshot)).ino, before.ino);
  });
  const damage: Record<string, () => Promise<void>> = {
    "absent": () => Deno.remove(folder, { recursive: true }),
    "cut short": () => Deno.truncate(snapshot, 1 << 20),
    "changed": () => changeByte(snapshot),
  };
  for (const [name, make] of Object.entries(damage)) {
    await test.step(name, async () => {
      await make();
      await plan();
    });
  }
  await test.step("a plan leaves the base alone, and an install mends it", async () => {
    const base = baseFolder(cache.folder);
    const damaged = async () => {
      const environment = maybeOpenEnvironment(base);
      return environment && await damagedFiles(environment);
    };
    await changeByte(join(base, "snapshot.bin"));
    await plan();
    assertEquals(await damaged(), ["snapshot.bin"]);
    const { code, stderr } = await cache.command([...sources, "install"]);
    assertEquals(code, 0, stderr);
    assertEquals(await damaged(), []);
  });
});

/** Changes a byte, and not the size. */
async function changeByte(path: string): Promise<void> {
  const bytes = await Deno.readFile(path);
  const middle = bytes.length >> 1;
  bytes.set([(bytes[middle] ?? 0) ^ 1], middle);
  await Deno.writeFile(path, bytes);
}
