import { join } from "node:path";
import { assertEquals, assertRejects } from "../../deps/assert.ts";
import { tempFolder } from "../../test/support/folder.ts";
import { LOCK, lockFolder } from "./folder_lock.ts";

Deno.test("lockFolder() has one holder at a time, and gives it back", async () => {
  await using folder = await tempFolder();
  const events: string[] = [];
  const first = await lockFolder(folder.path, 60_000);
  const second = lockFolder(folder.path, 60_000).then((lock) => {
    events.push("second");
    return lock;
  });
  await assertRejects(
    () => lockFolder(folder.path, 1),
    /another server has had its lock for 0\.001 s: end that server/,
  );
  events.push("first ends");
  first[Symbol.dispose]();
  (await second)[Symbol.dispose]();
  assertEquals(events, ["first ends", "second"]);
  // The lock that came too late was given back, too.
  using _third = await lockFolder(folder.path, 60_000);
});

Deno.test("lockFolder() fails where there can be no lock", async () => {
  await using folder = await tempFolder();
  await Deno.mkdir(join(folder.path, LOCK));
  await assertRejects(() => lockFolder(folder.path, 1), /directory/);
});
