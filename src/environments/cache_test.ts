import { join } from "node:path";
import { assert, assertEquals } from "../../deps/assert.ts";
import { makeFakeCache, toId } from "../../test/support/fake_cache.ts";
import { listCache } from "./cache.ts";
import { sha256 } from "../disk.ts";
import { holdEnvironment } from "./file_locks.ts";

Deno.test("listCache() of a folder that is not there is empty", async () => {
  await using cache = await makeFakeCache();
  const absent = join(cache.path, "absent");
  const { bytes, ...lists } = await listCache(absent);
  assertEquals([bytes, Object.values(lists).flat()], [0, []]);
});

Deno.test("listCache() tells environments and wheels, and their uses", async () => {
  await using cache = await makeFakeCache();
  const a = await cache.addEnvironment("a", { wheels: ["x", "y"], daysAgo: 3 });
  await cache.addEnvironment("b", { wheels: ["x"] });
  for (const contents of ["x", "y", "unused"]) await cache.addWheel(contents);
  using _ = holdEnvironment(join(cache.path, "environments", toId("b")));

  const { environments, wheels, bytes, foreign } = await listCache(cache.path);
  assertEquals(
    environments.map(({ id, inUse, contents }) => ({
      id,
      inUse,
      names: contents?.packages.map(({ name }) => name),
    })),
    [
      { id: toId("a"), inUse: false, names: ["x", "y"] },
      { id: toId("b"), inUse: true, names: ["x"] },
    ],
  );
  const [first] = environments;
  assertEquals(
    Math.round((Date.now() - Number(first?.lastUsed)) / 86_400_000),
    3,
  );
  assert(first && first.bytes > 1024 * 1024);
  assertEquals(first.path, a);
  const uses = wheels.map(({ file, usedBy }) => [file, usedBy]);
  assertEquals(Object.fromEntries(uses), {
    "x.whl": 2,
    "y.whl": 1,
    "unused.whl": 0,
  });
  assert(bytes > 2 * 1024 * 1024 && foreign.length === 0);
});

Deno.test("listCache() tells what is damaged", async () => {
  await using cache = await makeFakeCache();
  const folder = await cache.addEnvironment("a");
  await Deno.truncate(join(folder, "snapshot.bin"), 10);
  await Deno.remove(join(await cache.addEnvironment("b"), "complete"));
  const text = join(await cache.addEnvironment("c"), "environment.json");
  await Deno.remove(text);
  await Deno.mkdir(text);
  const { environments } = await listCache(cache.path);
  assertEquals(environments.map(({ contents }) => contents), [
    ...[undefined, undefined, undefined],
  ]);
});

Deno.test("listCache() names what it does not know, and follows no link", async () => {
  await using cache = await makeFakeCache();
  await using elsewhere = await makeFakeCache();
  await elsewhere.addEnvironment("a");
  const place = (letter: string) =>
    join(cache.path, "environments", toId(letter));
  await cache.addFile(`environments/${toId("c")}/photo.jpg`);
  await cache.addFile("environments/backup/complete");
  await Deno.symlink(
    join(elsewhere.path, "environments", toId("a")),
    place("a"),
  );
  await Deno.symlink("/nowhere", place("b"));
  const foreign = [
    place("a"),
    place("b"),
    place("c"),
    join(cache.path, "environments/backup"),
    await cache.addFile("notes.txt"),
    await cache.addFile("environments/README"),
    await cache.addFile(`wheels/${sha256("w")}/notes.txt`),
    await cache.addFile("wheels/loose.whl"),
    await cache.addFile("locks/mine"),
  ];
  const contents = await listCache(cache.path);
  assertEquals(contents.foreign.sort(), foreign.sort());
  assertEquals(contents.environments, []);
});

Deno.test("listCache() tells notes from what it does not know", async () => {
  await using cache = await makeFakeCache();
  const path = await cache.addNote("x");
  const foreign = await cache.addFile(`wheels/${sha256("x")}/mine.from`);
  const contents = await listCache(cache.path);
  assertEquals(contents.notes, [{ path, sha256: sha256("x") }]);
  assertEquals([contents.wheels, contents.foreign], [[], [foreign]]);
});

Deno.test("listCache() of linked folders lists nothing", async () => {
  await using cache = await makeFakeCache();
  await using elsewhere = await makeFakeCache();
  await elsewhere.addEnvironment("a");
  const link = join(cache.path, "environments");
  await Deno.symlink(join(elsewhere.path, "environments"), link);
  const { environments, foreign } = await listCache(cache.path);
  assertEquals([environments, foreign], [[], [link]]);
});
