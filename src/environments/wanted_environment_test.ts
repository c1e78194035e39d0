import { join } from "node:path";
import { assertEquals } from "../../deps/assert.ts";
import { makeFakeCache, toId } from "../../test/support/fake_cache.ts";
import {
  isEnvironmentOf,
  maybeOpenOneOf,
  maybeResolved,
  noteResolved,
  wantedFolders,
} from "./wanted_environment.ts";

const REQUEST = toId("f");

Deno.test("a request is resolved to the id that is noted, and to nothing that is not an id", async () => {
  await using cache = await makeFakeCache();
  const resolved = () => maybeResolved(cache.path, REQUEST);
  assertEquals(resolved(), undefined);
  await noteResolved(cache.path, REQUEST, toId("a"));
  assertEquals(resolved(), toId("a"));
  await noteResolved(cache.path, REQUEST, toId("b"));
  assertEquals(resolved(), toId("b"));
  assertEquals(cache.files(), [`requests/${REQUEST}`]);
  for (
    const garbage of [
      ...["", "a", `${toId("a")}\n`, `../${toId("a")}`, "../".repeat(8)],
      ...[toId("A"), `${toId("a")}.tmp`, "\0".repeat(24)],
    ]
  ) {
    await cache.addFile(`requests/${REQUEST}`, garbage);
    assertEquals(resolved(), undefined, garbage);
  }
  await Deno.remove(join(cache.path, "requests", REQUEST));
  await cache.addFile(`requests/${REQUEST}/${toId("a")}`);
  assertEquals(resolved(), undefined);
});

Deno.test("an environment is taken from the first cache that has it whole, whichever knows the request", async () => {
  await using own = await makeFakeCache();
  await using other = await makeFakeCache();
  const wanted = {
    ...{ cacheDir: own.path, otherCacheDir: other.path },
    baseId: toId("0"),
  };
  const find = (request?: string) =>
    maybeOpenOneOf(wantedFolders({ ...wanted, ...(request && { request }) }))
      ?.folder;
  const base = await other.addEnvironment("0");
  assertEquals(find(), base);
  assertEquals(find(REQUEST), undefined);

  const theirs = await other.addEnvironment("a");
  await noteResolved(own.path, REQUEST, toId("a"));
  assertEquals(find(REQUEST), theirs);
  const ours = await own.addEnvironment("a");
  assertEquals(find(REQUEST), ours);
  await Deno.remove(join(ours, "complete"));
  assertEquals(find(REQUEST), theirs);

  const removed = toId("b");
  await noteResolved(own.path, REQUEST, removed);
  assertEquals(find(REQUEST), undefined);
  await noteResolved(other.path, REQUEST, toId("a"));
  assertEquals(find(REQUEST), theirs);
});

Deno.test("isEnvironmentOf() takes folders of these caches alone, by an id", () => {
  const caches = { cacheDir: "/own", otherCacheDir: "/other" };
  const id = toId("a");
  for (const cacheDir of ["/own", "/other"]) {
    const folder = join(cacheDir, "environments", id);
    assertEquals(isEnvironmentOf(caches, folder), true);
  }
  for (
    const folder of [
      ...["", "/", "/own", "/own/environments", `/own/${id}`, id],
      ...[`/else/environments/${id}`, `/own/environments/${id}/${id}`],
      ...[`/own/environments/../../etc`, `/own/environments/${id}/`],
      `/own/environments/${id}.${crypto.randomUUID()}.tmp`,
    ]
  ) assertEquals(isEnvironmentOf(caches, folder), false, folder);
  const alone = { cacheDir: "/own" };
  assertEquals(isEnvironmentOf(alone, `/other/environments/${id}`), false);
});
