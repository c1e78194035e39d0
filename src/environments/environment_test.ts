import { join } from "node:path";
import { assert, assertEquals, assertRejects } from "../../deps/assert.ts";
import { makeFakeCache, toId } from "../../test/support/fake_cache.ts";
import { sha256 } from "../disk.ts";
import {
  damagedFiles,
  Draft,
  environmentFolder,
  maybeOpenEnvironment,
  unsealEnvironment,
} from "./environment.ts";
import { holdEnvironment, isInUse } from "./file_locks.ts";

const MANIFEST = {
  requested: ["x"],
  engine: "Pyodide 1",
  python: "3",
  packages: [],
  preloaded: { modules: [], whilePreparing: [], broken: [] },
};

async function publish(place: string, text: string): Promise<void> {
  await using draft = new Draft(place);
  await draft.write({ "snapshot.bin": new TextEncoder().encode(text) });
  await draft.publish(MANIFEST);
}

/** What was done to an environment, so that it is none any more. */
const DAMAGE: Record<string, (folder: string) => Promise<void>> = {
  "no seal": (folder) => Deno.remove(join(folder, "complete")),
  "an empty seal": (folder) => Deno.writeTextFile(join(folder, "complete"), ""),
  "another seal": (folder) =>
    Deno.writeTextFile(join(folder, "complete"), sha256("")),
  "a manifest of the same size": async (folder) => {
    const path = join(folder, "environment.json");
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, text.replace('"x"', '"y"'));
  },
  "a file that is shorter": (folder) =>
    Deno.truncate(join(folder, "snapshot.bin"), 1),
  "a file that is longer": (folder) =>
    Deno.writeTextFile(join(folder, "snapshot.bin"), "+", { append: true }),
  "a link to the same bytes": async (folder) => {
    const path = join(folder, "snapshot.bin");
    await Deno.rename(path, `${folder}.elsewhere`);
    await Deno.symlink(`${folder}.elsewhere`, path);
  },
  "a link that the manifest does not name": (folder) =>
    Deno.symlink("/etc/passwd", join(folder, "packages.bin")),
  "a file that is not there": (folder) =>
    Deno.remove(join(folder, "snapshot.bin")),
};

Deno.test("maybeOpenEnvironment() opens what is whole, and nothing else", async (test) => {
  await using cache = await makeFakeCache();
  const folder = environmentFolder(cache.path, toId("a"));
  assertEquals(maybeOpenEnvironment(folder), undefined);
  for (const [name, damage] of Object.entries(DAMAGE)) {
    await test.step(name, async () => {
      await publish(folder, "contents");
      assertEquals(maybeOpenEnvironment(folder)?.requested, ["x"]);
      await damage(folder);
      assertEquals(maybeOpenEnvironment(folder), undefined);
    });
  }
  await test.step("unsealed", async () => {
    await publish(folder, "contents");
    await unsealEnvironment(folder);
    assertEquals(maybeOpenEnvironment(folder), undefined);
    await unsealEnvironment(folder);
  });
});

Deno.test("damagedFiles() names files whose bytes are others, of the same size, too", async () => {
  await using cache = await makeFakeCache();
  const folder = environmentFolder(cache.path, toId("a"));
  await publish(folder, "contents");
  const environment = maybeOpenEnvironment(folder);
  assert(environment);
  assertEquals(await damagedFiles(environment), []);
  await Deno.writeTextFile(join(folder, "snapshot.bin"), "CONTENTS");
  assert(maybeOpenEnvironment(folder));
  assertEquals(await damagedFiles(environment), ["snapshot.bin"]);
});

Deno.test("a draft is at its place whole, or not at all, and never elsewhere at the end", async () => {
  await using cache = await makeFakeCache();
  const place = environmentFolder(cache.path, toId("a"));
  {
    await using draft = new Draft(place);
    await draft.write({ "snapshot.bin": new Uint8Array(3) });
    assertEquals(cache.files(), [
      `${draft.folder.slice(cache.path.length + 1)}/snapshot.bin`,
    ]);
    assert(draft.folder.startsWith(`${place}.`));
  }
  assertEquals(cache.files(), []);
  await publish(place, "first");
  const own = ["complete", "environment.json", "snapshot.bin", "used"];
  const files = own.map((name) => `environments/${toId("a")}/${name}`);
  assertEquals(cache.files(), files);
});

Deno.test("a draft leaves the environment that was faster, and takes a damaged one's place", async () => {
  await using cache = await makeFakeCache();
  const place = environmentFolder(cache.path, toId("a"));
  await publish(place, "first");
  const read = () => Deno.readTextFile(join(place, "snapshot.bin"));
  await publish(place, "second");
  assertEquals(await read(), "first");
  await Deno.truncate(join(place, "snapshot.bin"), 1);
  using _held = holdEnvironment(place);
  await publish(place, "third");
  assertEquals(await read(), "third");
  // Who used the damaged one goes on, with what is in its place.
  assert(isInUse(place));
  assertEquals(cache.files().length, 4);
});

Deno.test("a draft that cannot take its place leaves nothing behind", async () => {
  await using cache = await makeFakeCache();
  const place = environmentFolder(cache.path, toId("a"));
  await assertRejects(async () => {
    await using draft = new Draft(place);
    await draft.write({ "folder/x": new Uint8Array(3) });
  });
  await cache.addFile(`environments/${toId("b")}`, "a file");
  await assertRejects(async () => {
    await publish(join(cache.path, "environments", toId("b"), "x"), "1");
  });
  assertEquals(cache.files(), [`environments/${toId("b")}`]);
});
