import { join } from "node:path";
import { assert, assertEquals } from "../../deps/assert.ts";
import { age, makeFakeCache, toId } from "../../test/support/fake_cache.ts";
import { sha256 } from "../disk.ts";
import { maybeOpenEnvironment } from "./environment.ts";
import { holdEnvironment, lockEnvironment } from "./file_locks.ts";
import { cleanCache, pruneCache, removeEnvironments } from "./prune.ts";

const noWait = { onWait() {} };

function draftOf(letter: string): string {
  return `environments/${toId(letter)}.${crypto.randomUUID()}.tmp`;
}

Deno.test("pruneCache() removes what is old, damaged or of no use, and nothing else", async () => {
  await using cache = await makeFakeCache();
  const old = await cache.addEnvironment("a", { wheels: ["x"], daysAgo: 31 });
  await cache.addEnvironment("b", { wheels: ["y"], daysAgo: 29 });
  const damaged = await cache.addEnvironment("c", { wheels: ["z"] });
  await Deno.remove(join(damaged, "snapshot.bin"));
  const x = await cache.addWheel("x", 40);
  await cache.addWheel("y", 40);
  const z = await cache.addWheel("z", 40);
  await cache.addWheel("young");
  const draft = join(cache.path, draftOf("d"));
  await Deno.mkdir(draft);
  await Deno.writeTextFile(join(draft, "snapshot.bin"), "half");
  await age(draft, 1);
  await Deno.mkdir(join(cache.path, draftOf("e")));
  const wheelDraft = await cache.addFile(
    `wheels/${crypto.randomUUID()}.tmp`,
    "half",
    1,
  );
  const lock = await cache.addFile(`locks/${toId("a")}`);
  await cache.addFile(`locks/${toId("b")}`);
  const foreign = [
    await cache.addFile("environments/notes", "", 99),
    await cache.addFile("mine", "", 99),
  ];

  const result = await pruneCache(cache.path);
  assertEquals(
    result.removed.map(({ path }) => path).sort(),
    [old, damaged, x, z, draft, wheelDraft, lock].sort(),
  );
  assertEquals(result.foreign.sort(), foreign.sort());
  assertEquals([result.kept.length, result.failed], [1, []]);
  assert(result.bytes > 1024 * 1024);
  assert(maybeOpenEnvironment(join(cache.path, "environments", toId("b"))));
  assertEquals(
    cache.files().filter((file) => !file.startsWith("environments/b")),
    [
      "environments/notes",
      `locks/${toId("b")}`,
      "locks/cache",
      "mine",
      `wheels/${sha256("y")}/y.whl`,
      `wheels/${sha256("young")}/young.whl`,
    ].sort(),
  );
  assertEquals((await pruneCache(cache.path)).removed, []);
});

Deno.test("pruneCache() removes the notes on a wheel with it, and those on none", async () => {
  await using cache = await makeFakeCache();
  await cache.addEnvironment("a", { wheels: ["needed"] });
  for (const contents of ["needed", "loose"]) {
    await cache.addWheel(contents, 40);
    await cache.addNote(contents);
  }
  await cache.addNote("gone");
  {
    using _lock = await lockEnvironment(cache.path, toId("c"), noWait);
    await pruneCache(cache.path);
    assertEquals(
      cache.files().filter((file) => file.endsWith(".from")).length,
      3,
    );
  }
  const { failed, foreign } = await pruneCache(cache.path);
  assertEquals([failed, foreign], [[], []]);
  const wheels = join(cache.path, "wheels");
  assertEquals(
    (await Array.fromAsync(Deno.readDir(wheels))).map(({ name }) => name),
    [
      sha256("needed"),
    ],
  );
  assertEquals(
    (await Array.fromAsync(Deno.readDir(join(wheels, sha256("needed")))))
      .length,
    2,
  );
});

Deno.test("cleanCache() removes notes where nothing else is", async () => {
  await using cache = await makeFakeCache();
  await cache.addNote("gone");
  await cleanCache(cache.path);
  assertEquals(cache.files(), ["locks/cache"]);
});

Deno.test("pruneCache() keeps what is in use, however old or damaged", async () => {
  await using cache = await makeFakeCache();
  const old = await cache.addEnvironment("a", { wheels: ["x"] });
  const damaged = await cache.addEnvironment("b");
  await Deno.remove(join(damaged, "complete"));
  await cache.addWheel("x", 40);
  using _old = holdEnvironment(old);
  using _damaged = holdEnvironment(damaged);
  await age(join(old, "used"), 100);
  const before = cache.files();
  const { removed, kept } = await pruneCache(cache.path);
  assertEquals(removed, []);
  assertEquals(kept, [{ path: old, why: "in use" }, {
    path: damaged,
    why: "in use",
  }]);
  assertEquals(cache.files(), [...before, "locks/cache"].sort());
});

Deno.test("pruneCache(), cleanCache() and removeEnvironments() keep an environment that is needed, with its wheels, and name it", async () => {
  await using cache = await makeFakeCache();
  const needed = await cache.addEnvironment("a", {
    wheels: ["x"],
    daysAgo: 99,
  });
  await cache.addWheel("x", 99);
  await cache.addFile(`requests/${toId("1")}`, toId("a"));
  const needOf = (id: string) => id === toId("d") ? undefined : `for ${id}`;
  const kept = [{ path: needed, why: `for ${toId("a")}` }];
  const removals = [
    () => pruneCache(cache.path, { needOf }),
    () => cleanCache(cache.path, { needOf }),
    () => removeEnvironments(cache.path, ["a", "d"].map(toId), { needOf }),
  ];
  for (const remove of removals) {
    const before = cache.files().filter((file) => file !== "locks/cache");
    await cache.addEnvironment("d", { daysAgo: 99 });
    const damaged = await cache.addEnvironment("e");
    await Deno.remove(join(damaged, "complete"));
    const result = await remove();
    assertEquals([result.kept, result.failed], [kept, []]);
    if (remove === removals[2]) await Deno.remove(damaged, { recursive: true });
    assertEquals(cache.files(), [...before, "locks/cache"].sort());
  }
  await cache.addEnvironment("b");
  assertEquals((await pruneCache(cache.path, { needOf })).kept, kept);
  assertEquals((await pruneCache(cache.path)).kept, []);
});

Deno.test("pruneCache() and cleanCache() leave an install alone that goes on", async () => {
  await using cache = await makeFakeCache();
  await cache.addEnvironment("a", { daysAgo: 99 });
  const other = await cache.addEnvironment("b", { wheels: ["y"], daysAgo: 99 });
  await cache.addWheel("x", 99);
  await cache.addWheel("y", 99);
  const installed = await cache.addEnvironment("c", { wheels: ["x"] });
  await Deno.remove(join(installed, "complete"));
  await cache.addFile(`${draftOf("c")}/snapshot.bin`, "half");
  await cache.addFile(`wheels/${crypto.randomUUID()}.tmp`, "half");
  {
    using _lock = await lockEnvironment(cache.path, toId("c"), noWait);
    const before = cache.files();
    const { removed } = await pruneCache(cache.path);
    assertEquals(removed.map(({ path }) => path), [other]);
    assertEquals((await cleanCache(cache.path)).removed, []);
    assertEquals(
      cache.files(),
      before.filter((file) => !file.startsWith("environments/bbb")),
    );
  }
  const { kept, failed } = await cleanCache(cache.path);
  assertEquals([kept, failed, cache.files()], [[], [], ["locks/cache"]]);
});

Deno.test("pruneCache() and cleanCache() leave the lock of an environment that is not there yet", async () => {
  await using cache = await makeFakeCache();
  const locks = [`locks/${toId("a")}`, "locks/cache"];
  {
    using _lock = await lockEnvironment(cache.path, toId("a"), noWait);
    for (const remove of [pruneCache, cleanCache]) {
      await remove(cache.path);
      assertEquals(cache.files(), locks);
    }
  }
  await pruneCache(cache.path);
  assertEquals(cache.files(), ["locks/cache"]);
});

Deno.test("cleanCache() removes all but what is in use, and its wheels", async () => {
  await using cache = await makeFakeCache();
  const used = await cache.addEnvironment("a", { wheels: ["x"] });
  await cache.addEnvironment("b", { wheels: ["y"] });
  await cache.addWheel("x");
  await cache.addWheel("y");
  using _ = holdEnvironment(used);
  const { kept } = await cleanCache(cache.path);
  assertEquals(kept, [{ path: used, why: "in use" }]);
  assert(maybeOpenEnvironment(used));
  assertEquals(cache.files().filter((file) => !file.includes("aaa")), [
    "locks/cache",
    `wheels/${sha256("x")}/x.whl`,
  ]);
});

Deno.test("removeEnvironments() removes these, their requests and locks alone, unless they are in use or installed", async () => {
  await using cache = await makeFakeCache();
  const used = await cache.addEnvironment("a");
  const chosen = await cache.addEnvironment("b", { wheels: ["x"] });
  await cache.addEnvironment("c", { daysAgo: 99 });
  await cache.addWheel("x", 99);
  for (const letter of "bc") await cache.addFile(`locks/${toId(letter)}`);
  await cache.addFile(`wheels/${crypto.randomUUID()}.tmp`, "half", 99);
  await cache.addFile("environments/notes");
  const request = `requests/${toId("1")}`;
  await cache.addFile(request, toId("b"));
  await cache.addFile(`requests/${toId("2")}`, toId("d"));
  const before = cache.files();
  const ids = ["a", "b"].map(toId);
  using _ = holdEnvironment(used);
  {
    using _lock = await lockEnvironment(cache.path, toId("b"), noWait);
    const { removed, kept } = await removeEnvironments(cache.path, ids);
    assertEquals([removed, kept.map(({ path }) => path)], [[], [used, chosen]]);
  }
  const { kept, foreign } = await removeEnvironments(cache.path, ids);
  assertEquals([kept, foreign], [[{ path: used, why: "in use" }], []]);
  assertEquals(
    cache.files(),
    [...before, "locks/cache"]
      .filter((file) => !file.includes(toId("b")) && file !== request).sort(),
  );
});

Deno.test("cleanCache() of a folder that is not a cache changes nothing", async () => {
  await using home = await makeFakeCache();
  await using elsewhere = await makeFakeCache();
  await elsewhere.addEnvironment("a");
  await home.addFile("Documents/thesis.txt", "years of work");
  await home.addFile("wheels/of/cheese.whl", "Gouda");
  await home.addFile("environments/tests/main.tf", "resource {}");
  await home.addFile(`environments/${toId("a")}/precious.txt`);
  await Deno.symlink(
    join(elsewhere.path, "environments", toId("a")),
    join(home.path, "environments", toId("b")),
  );
  const before = [home.files(), elsewhere.files()];
  for (const remove of [pruneCache, cleanCache]) {
    const { removed, failed } = await remove(home.path);
    assertEquals([removed, failed], [[], []]);
  }
  assertEquals([home.files(), elsewhere.files()], before);
});

Deno.test("pruneCache() removes requests whose environments are gone from both caches", async () => {
  await using cache = await makeFakeCache();
  await using other = await makeFakeCache();
  const note = (letter: string, text: string) =>
    cache.addFile(`requests/${toId(letter)}`, text);
  await cache.addEnvironment("a");
  await other.addEnvironment("b");
  await cache.addEnvironment("c", { daysAgo: 31 });
  await note("1", toId("a"));
  await cache.addFile(`locks/${toId("1")}`);
  const theirs = await note("2", toId("b"));
  const gone = [
    await note("3", toId("c")),
    await note("4", toId("d")),
    await note("5", "garbage"),
  ];
  const foreign = [
    await cache.addFile("requests/mine"),
    await cache.addFile(`requests/${toId("6")}/x`),
  ];
  const result = await pruneCache(cache.path, { otherCacheDir: other.path });
  const [, ...removed] = result.removed.map(({ path }) => path);
  assertEquals(removed, gone);
  assertEquals(result.foreign, [join(foreign[1] ?? "", ".."), foreign[0]]);
  const alone = await pruneCache(cache.path);
  assertEquals(alone.removed.map(({ path }) => path), [theirs]);
  const all = await cleanCache(cache.path);
  assertEquals([all.removed.length, all.kept.length], [3, 0]);
});

Deno.test("pruneCache() removes translations of components that are old, and cleanCache() all", async () => {
  await using cache = await makeFakeCache();
  const slots = ["a", "b"].map((name) => `components/${sha256(name)}-1`);
  for (const slot of slots) await cache.addFile(`${slot}/translation`, "code");
  const [old = "", young = ""] = slots.map((slot) => join(cache.path, slot));
  const foreign = await cache.addFile("components/mine");
  await age(old, 31);
  const pruned = await pruneCache(cache.path);
  assertEquals(pruned.removed, [{ path: old, bytes: 4 }]);
  const cleaned = await cleanCache(cache.path);
  assertEquals(cleaned.removed, [{ path: young, bytes: 4 }]);
  assertEquals(cleaned.foreign, [foreign]);
});
