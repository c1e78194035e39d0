import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { assert, assertEquals, assertThrows } from "../../deps/assert.ts";
import {
  CACHE_LOCK,
  holdEnvironment,
  isInUse,
  lockEnvironment,
  lockFile,
  maybeClaimCache,
  maybeLock,
  USED,
} from "./file_locks.ts";

const HOLDER = fileURLToPath(
  import.meta.resolve("../../test/support/holder.ts"),
);
const ID = "0123456789abcdef01234567";

async function makeFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir({ prefix: "mcp-run-python-" });
  await Deno.writeTextFile(join(path, USED), "");
  return {
    path,
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}

/** Another process that holds a lock, and has a child. */
async function startHolder(...args: string[]) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", HOLDER, ...args],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  assertEquals(new TextDecoder().decode(value), "held\n");
  return {
    async kill() {
      child.kill("SIGKILL");
      await child.status;
    },
    async [Symbol.asyncDispose]() {
      await child.stdin.close().catch(() => {});
      await reader.cancel();
      await child.status;
    },
  };
}

const never = { onWait: () => assert(false, "had to wait") };

/** Whether a lock could be had now, by a process like another one. */
async function isFree(path: string, exclusive: boolean): Promise<boolean> {
  using file = await Deno.open(path, { read: true, write: true });
  return file.tryLock(exclusive);
}

Deno.test("lockEnvironment() has its environment alone, shares the cache, and gives both back", async () => {
  await using cache = await makeFolder();
  const own = lockFile(cache.path, ID);
  const all = lockFile(cache.path, CACHE_LOCK);
  {
    using _lock = await lockEnvironment(cache.path, ID, never);
    assertEquals([await isFree(own, false), await isFree(all, true)], [
      ...[false, false],
    ]);
    assert(await isFree(all, false));
    assertEquals(maybeLock(lockFile(cache.path, ID)), undefined);
  }
  assertEquals([await isFree(own, true), await isFree(all, true)], [
    ...[true, true],
  ]);
});

Deno.test("lockEnvironment() has one holder at a time, and tells a waiting caller once", async () => {
  await using cache = await makeFolder();
  const first = await lockEnvironment(cache.path, ID, never);
  const waits = Promise.withResolvers<void>();
  let times = 0;
  const second = lockEnvironment(cache.path, ID, {
    onWait() {
      times++;
      waits.resolve();
    },
  });
  let isHad = false;
  second.then(() => isHad = true);
  await waits.promise;
  {
    using _other = await lockEnvironment(cache.path, `f${ID.slice(1)}`, never);
  }
  assert(!isHad, "two have it");
  first[Symbol.dispose]();
  using _ = await second;
  assertEquals(times, 1);
});

Deno.test("lockEnvironment() takes over from a process that was killed, and has a child", async () => {
  await using cache = await makeFolder();
  await using holder = await startHolder("install", cache.path, ID);
  const waits = Promise.withResolvers<void>();
  const lock = lockEnvironment(cache.path, ID, { onWait: waits.resolve });
  await waits.promise;
  await holder.kill();
  using _ = await lock;
});

Deno.test("lockEnvironment() does without a lock where there can be none", async () => {
  await using cache = await makeFolder();
  const path = join(cache.path, USED, "below a file");
  using _first = await lockEnvironment(path, ID, never);
  using _second = await lockEnvironment(path, ID, never);
  assertThrows(() => maybeClaimCache(path), /Not a directory/);
});

Deno.test("maybeClaimCache() is refused while anything is installed", async () => {
  await using cache = await makeFolder();
  {
    using _lock = await lockEnvironment(cache.path, ID, never);
    assertEquals(maybeClaimCache(cache.path), undefined);
  }
  using claim = maybeClaimCache(cache.path);
  assert(claim);
  assertEquals(maybeClaimCache(cache.path), undefined);
});

Deno.test("holdEnvironment() says that it is in use, until its process is killed", async () => {
  await using folder = await makeFolder();
  assert(!isInUse(folder.path));
  await using holder = await startHolder("use", folder.path);
  assert(isInUse(folder.path));
  {
    using _ = holdEnvironment(folder.path);
    await holder.kill();
    assert(isInUse(folder.path));
    assertEquals(maybeLock(join(folder.path, USED)), undefined);
  }
  assert(!isInUse(folder.path));
});

Deno.test("holdEnvironment() notes when that was", async () => {
  await using folder = await makeFolder();
  const path = join(folder.path, USED);
  const before = Date.now();
  await Deno.utime(path, 0, 0);
  using _ = holdEnvironment(folder.path);
  const mtime = Number((await Deno.stat(path)).mtime);
  assert(mtime >= before - 1000 && mtime <= Date.now() + 1000, `${mtime}`);
});

Deno.test("holdEnvironment() of what is not there is nothing", () => {
  using _ = holdEnvironment("/nowhere");
  assert(!isInUse("/nowhere"));
});
