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

Deno.test("lockFolder() takes over from a process that was killed", async () => {
  await using folder = await tempFolder();
  const code = `import { lockFolder } from "${
    import.meta.resolve("./folder_lock.ts")
  }";
const _held = await lockFolder(Deno.args[0], 60_000);
await Deno.stdout.write(new Uint8Array([1]));
await Deno.stdin.read(new Uint8Array(1));`;
  const holder = new Deno.Command(Deno.execPath(), {
    args: ["eval", code, folder.path],
    ...{ stdin: "piped", stdout: "piped" },
  }).spawn();
  const output = holder.stdout.getReader();
  assertEquals((await output.read()).value?.length, 1);
  await assertRejects(() => lockFolder(folder.path, 1), /another server/);
  const next = lockFolder(folder.path, 60_000);
  holder.kill("SIGKILL");
  using _next = await next;
  await holder.status;
  await output.cancel();
  await holder.stdin.close().catch(() => {});
});
