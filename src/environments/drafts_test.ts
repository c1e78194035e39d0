import { join } from "node:path";
import { assertEquals } from "../../deps/assert.ts";
import { age, makeFakeCache, toId } from "../../test/support/fake_cache.ts";
import { DRAFT, sweepDrafts, WHEEL_DRAFT } from "./drafts.ts";

Deno.test("sweepDrafts() removes old drafts, and neither young ones nor what has another name", async () => {
  await using cache = await makeFakeCache();
  await using elsewhere = await makeFakeCache();
  const uuid = crypto.randomUUID();
  const names = {
    old: `${toId("a")}.${uuid}.tmp`,
    madeRoom: `${toId("a")}.${uuid}.old`,
    young: `${toId("b")}.${uuid}.tmp`,
    environment: toId("c"),
    foreign: [`${uuid}.tmp`, `${toId("a")}.tmp`, `x${toId("a")}.${uuid}.tmp`],
    longer: `${toId("a")}.${uuid}.tmp.txt`,
  };
  const all = Object.values(names).flat();
  for (const name of all) {
    await cache.addFile(join(name, "file"));
    await age(join(cache.path, name), name === names.young ? 0 : 1);
  }
  await elsewhere.addFile("precious");
  const link = `${toId("d")}.${uuid}.tmp`;
  await Deno.symlink(elsewhere.path, join(cache.path, link));
  await age(elsewhere.path, 1);
  await sweepDrafts(cache.path, DRAFT);
  const left = (await Array.fromAsync(Deno.readDir(cache.path)))
    .map(({ name }) => name);
  const gone = [names.old, names.madeRoom];
  assertEquals(
    left.filter((name) => name !== link).sort(),
    all.filter((name) => !gone.includes(name)).sort(),
  );
  assertEquals(elsewhere.files(), ["precious"]);
});

Deno.test("sweepDrafts() takes no environment's draft for a wheel's, nor the other way", () => {
  const uuid = crypto.randomUUID();
  const cases = {
    [`${uuid}.tmp`]: [false, true],
    [`${toId("a")}.${uuid}.tmp`]: [true, false],
    [`${toId("a")}.${uuid}.old`]: [true, false],
    [`${uuid}.old`]: [false, false],
    [`${uuid}.tmp\n`]: [false, false],
    [`../${uuid}.tmp`]: [false, false],
  };
  for (const [name, told] of Object.entries(cases)) {
    assertEquals([DRAFT.test(name), WHEEL_DRAFT.test(name)], told, name);
  }
});
