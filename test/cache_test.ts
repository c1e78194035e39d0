/**
 * The cache over real processes: damaged, full, not to be written, used by two
 * at once, left by one that was killed.
 *
 * @module
 */
import { statfs } from "node:fs/promises";
import { basename, join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { maybeOpenEnvironment } from "../src/environments/environment.ts";
import { holdEnvironment } from "../src/environments/file_locks.ts";
import { log } from "../src/log.ts";
import {
  addPython,
  baseFolder,
  cacheAt,
  makeCache,
  makeEmptyCache,
  resolverStart,
  type TestCache,
} from "./support/cache.ts";
import { CLI, type Ended } from "./support/command.ts";
import { makeReadOnly, mount, mountDisk, whyNoTmpfs } from "./support/disk.ts";
import { age, makeFakeCache, toId } from "./support/fake_cache.ts";
import { tempFolder } from "./support/folder.ts";
import { startIndex, type TestIndex } from "./support/index_server.ts";
import { descendants, whichOutlive } from "./support/processes.ts";
import { startServer } from "./support/server.ts";
import { writeStored } from "./support/stored_session.ts";
import { hash, wheel } from "./support/wheel.ts";

const NO_TMPFS = await whyNoTmpfs();
if (NO_TMPFS) log(`skipped: full and read-only disks: ${NO_TMPFS}`);
const NO_PROC = Deno.build.os !== "linux" && "needs /proc to count processes";
if (NO_PROC) log(`skipped: kill phase 1: ${NO_PROC}`);

const fixture = wheel({ name: "mrp-fixture-good" });
const PAGE = "/simple/mrp-fixture-good/";
const RUN = ["run", "-c", "import mrp_fixture_good as it; print(it.version)"];

function assertFails(
  { code, stdout, stderr }: Ended,
  says: RegExp,
  exitCode = 1,
) {
  assertMatch(stderr, says);
  assertEquals([code, stdout], [exitCode, ""]);
}

Deno.test("a cache folder that cannot be one is said in a sentence", async (test) => {
  await using cache = await makeEmptyCache();
  const file = join(cache.folder, "file");
  await Deno.writeTextFile(file, "");
  await test.step("a file", async () => {
    assertFails(
      await cacheAt(file).command(RUN),
      /^error: Cannot use the cache in .*file: Not a directory\. Choose a folder that can be written with --cache-dir\.\n$/,
    );
  });
  await test.step("below a file", async () => {
    const doctor = await cacheAt(join(file, "x")).command(["doctor"]);
    assertMatch(doctor.stdout, /cannot be read: Not a directory\n/);
    assertMatch(doctor.stdout, /What each process may do/);
    assertEquals([doctor.code, doctor.stderr], [1, ""]);
  });
  await test.step("one with a comma", async () => {
    assertFails(
      await cacheAt(join(cache.folder, "a,b")).command(RUN),
      /^error: Cannot keep the cache in ".*a,b" as Deno takes a path with a comma for two; .*--cache-dir/,
      2,
    );
  });
});

Deno.test({
  name: "a cache folder that cannot be written is said in a sentence",
  ignore: Boolean(NO_TMPFS),
  async fn() {
    await using disk = await mountDisk("ro,size=1m");
    assertFails(
      await cacheAt(disk.folder).command(RUN),
      /^error: Cannot use the cache in .*: Read-only file system\. Choose a folder that can be written with --cache-dir\.\n$/,
    );
  },
});

Deno.test({
  name: "a full disk is said in a sentence, and what is there still works",
  ignore: Boolean(NO_TMPFS),
  async fn() {
    await using index = startIndex([fixture]);
    const wanted = ["--index-url", index.url, "--deps", "mrp-fixture-good"];
    await using disk = await mountDisk("size=1g");
    const cache = cacheAt(disk.folder);
    await addPython(disk.folder);
    const { bsize, blocks, bfree } = await statfs(disk.folder);
    const room = Math.round((blocks - bfree) * bsize * 1.2);
    await mount("-o", `remount,size=${room}`, disk.folder);
    const before = cache.entries();
    assertFails(
      await cache.command([...wanted, ...RUN]),
      /^error: Cannot use the cache in .*: No space left on device\. Make room on its disk, or choose another folder with --cache-dir\.\n$/m,
    );
    assertEquals(cache.entries(), before);
    const run = await cache.command(["--offline", "run", "-c", "print(1)"]);
    assertEquals(run.stdout, "1\n", run.stderr);

    await mount("-o", "remount,size=1g", disk.folder);
    const again = await cache.command([...wanted, ...RUN]);
    assertEquals(again.stdout, "1.0\n", again.stderr);
  },
});

/** An id as `cache list` shows it. */
function shortId(folder: string): string {
  return basename(folder).slice(0, 12);
}

/** Ways to damage an environment. */
const DAMAGE: Record<string, (folder: string) => Promise<void>> = {
  "a truncated snapshot": (folder) =>
    Deno.truncate(join(folder, "snapshot.bin"), 1 << 20),
  "an edited lock": async (folder) => {
    const path = join(folder, "environment.json");
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, text.replace("127.0.0.1", "127.0.0.2"));
  },
  "a lock that is no JSON": (folder) =>
    Deno.writeTextFile(join(folder, "environment.json"), "{"),
  "a deleted file": (folder) => Deno.remove(join(folder, "packages.bin")),
  "no seal": (folder) => Deno.remove(join(folder, "complete")),
};

Deno.test("a damaged environment is made anew from the cached wheels, offline too", async (test) => {
  await using cache = await makeCache();
  await using index = startIndex([fixture]);
  const wanted = ["--index-url", index.url, "--deps", "mrp-fixture-good"];
  const { stdout } = await cache.command([...wanted, "install"]);
  const folder = String(/^in (.*)$/m.exec(stdout)?.[1]);
  const whole = cache.entries();
  for (const [name, damage] of Object.entries(DAMAGE)) {
    await test.step(name, async () => {
      await damage(folder);
      const run = await cache.command([...wanted, "--offline", ...RUN]);
      assertEquals(run.stdout, "1.0\n", run.stderr);
      assertEquals(cache.entries(), whole);
    });
  }
  await test.step("a damaged wheel is named offline, and downloaded again", async () => {
    const path = join(cache.folder, "wheels", hash(fixture.bytes));
    await Deno.truncate(join(path, fixture.filename), 100);
    await Deno.remove(join(folder, "complete"));
    assertFails(
      await cache.command([...wanted, "--offline", ...RUN]),
      /\nerror: Cannot install "mrp-fixture-good" .*Cannot use mrp_fixture_good-1\.0-py3-none-any\.whl as it is damaged in the cache\. Start once without --offline\./,
    );
    const run = await cache.command([...wanted, ...RUN]);
    assertEquals(run.stdout, "1.0\n", run.stderr);
    assertEquals(cache.entries(), whole);
  });
});

Deno.test("damaged, Python without packages is prepared anew, offline too", async () => {
  await using cache = await makeCache();
  const base = baseFolder(cache.folder);
  await Deno.truncate(join(base, "snapshot.bin"), 1 << 20);
  const run = await cache.command(["--offline", "run", "-c", "print(1)"]);
  assertEquals(run.stdout, "1\n", run.stderr);
  assertEquals(cache.entries().length, 1);
});

Deno.test("doctor sees damage that leaves sizes as they were", async () => {
  await using cache = await makeCache();
  const healthy = await cache.command(["--offline", "doctor"]);
  assertMatch(healthy.stdout, /complete, every file as installed/);
  assertEquals(healthy.code, 0);

  const base = baseFolder(cache.folder);
  using file = await Deno.open(join(base, "snapshot.bin"), { write: true });
  await file.seek(4096, Deno.SeekMode.Start);
  await file.write(new TextEncoder().encode("damage"));
  const { code, stdout } = await cache.command(["--offline", "doctor"]);
  assertMatch(
    stdout,
    /damaged: snapshot\.bin in .*\. mcp-run-python install with the same options installs it anew\./,
  );
  assertEquals(code, 1);
});

Deno.test("two starts at once into an empty cache both work", async () => {
  await using cache = await makeEmptyCache();
  await using index = startIndex([fixture]);
  const wanted = ["--index-url", index.url, "--deps", "mrp-fixture-good"];
  const runs = await Promise.all(
    [1, 2].map(() => cache.command([...wanted, ...RUN])),
  );
  for (const { stdout, stderr } of runs) assertEquals(stdout, "1.0\n", stderr);
  assertWhole(cache, 2);
  assertInstalledOnce(index);
});

Deno.test("a start waits for another that installs the same, and takes over if it is killed", async (test) => {
  await using cache = await makeCache();
  for (const isKilled of [false, true]) {
    await test.step(isKilled ? "killed" : "not killed", async () => {
      const asked = Promise.withResolvers<void>();
      const go = Promise.withResolvers<undefined>();
      await using index = startIndex([fixture], {
        answers: {
          [PAGE]: () => {
            asked.resolve();
            return go.promise;
          },
        },
      });
      const wanted = ["--index-url", index.url, "--deps", "mrp-fixture-good"];
      await using first = startCommand(cache, [...wanted, "install"]);
      await asked.promise;
      await using second = startCommand(cache, [...wanted, ...RUN]);
      await second.says(/^Waiting for another start that installs the same/);
      assertEquals(index.requests, [PAGE]);
      if (isKilled) first.child.kill("SIGKILL");
      go.resolve(undefined);
      assertEquals(await second.stdout, "1.0\n");
      assertEquals((await first.child.status).success, !isKilled);
      if (!isKilled) assertInstalledOnce(index);
    });
  }
});

Deno.test("install mends what doctor finds, and says so", async () => {
  await using cache = await makeCache();
  await using index = startIndex([fixture]);
  const wanted = ["--index-url", index.url, "--deps", "mrp-fixture-good"];
  const { stdout } = await cache.command([...wanted, "install"]);
  const folder = String(/^in (.*)$/m.exec(stdout)?.[1]);
  {
    const path = join(folder, "linked.wasm");
    using file = await Deno.open(path, { write: true });
    await file.write(new TextEncoder().encode("damage"));
  }
  const run = [...wanted, "run", "-c", "print(1)"];
  const broken = await cache.command(run);
  assertMatch(
    broken.stderr,
    /Python cannot start: .* Run `mcp-run-python doctor` with the same options to /s,
  );
  assertEquals([broken.code, broken.stdout], [1, ""]);
  const before = await cache.command([...wanted, "doctor"]);
  assertMatch(before.stdout, /damaged: linked\.wasm in /);
  const mended = await cache.command([...wanted, "install"]);
  assertMatch(
    mended.stderr,
    /^warning: linked\.wasm in \S+ is not as installed; installing it anew\n/,
  );
  assertEquals([mended.code, mended.stdout], [0, stdout]);
  const after = await cache.command([...wanted, "doctor"]);
  assertMatch(after.stdout, /complete, every file as installed/);
  assertEquals((await cache.command(run)).stdout, "1\n");
  const again = await cache.command([...wanted, "install"]);
  assertEquals(again.stderr, "");
});

Deno.test("clean leaves a server its environment, and removes it after that", async () => {
  await using cache = await makeCache();
  await using index = startIndex([fixture]);
  const wanted = ["--index-url", index.url, "--deps", "mrp-fixture-good"];
  const code = "import mrp_fixture_good as it; it.version";
  {
    await using server = await startServer([
      "--cache-dir",
      cache.folder,
      ...wanted,
    ]);
    assertEquals((await server.call(code)).returnValue, "1.0");
    const cleaned = await cache.command(["cache", "clean"]);
    assertMatch(cleaned.stdout, /^removed \S+ \(\d+\.\d MiB\)\n/);
    assertMatch(cleaned.stdout, /\nKept:\n {2}\S+: in use\n$/);
    assertEquals([cleaned.code, cleaned.stderr], [0, ""]);
    assertWhole(cache, 1);
    // Its process ends with it, so that another has to be started.
    await server.call("import os; os._exit(1)");
    assertEquals((await server.call(code)).returnValue, "1.0");
    const list = await cache.command(["cache", "list"]);
    assertMatch(list.stdout, /complete, in use .* mrp-fixture-good 1\.0\n/);
  }
  const { stdout } = await cache.command(["cache", "clean"]);
  assertMatch(stdout, /MiB freed\n$/);
  assertEquals(cache.entries(), []);
  await addPython(cache.folder);
  const run = await cache.command([...wanted, ...RUN]);
  assertEquals(run.stdout, "1.0\n", run.stderr);
});

Deno.test("an environment that is mended while a server has it stays in use", async () => {
  await using cache = await makeCache();
  await using server = await startServer(["--cache-dir", cache.folder]);
  assertEquals((await server.call("1")).returnValue, 1);
  await Deno.remove(join(baseFolder(cache.folder), "complete"));
  const mended = await cache.command(["install"]);
  assertEquals(mended.code, 0, mended.stderr);
  await cache.command(["cache", "clean"]);
  assertWhole(cache, 1);
  await server.call("import os; os._exit(1)");
  assertEquals((await server.call("2")).returnValue, 2);
});

Deno.test("cache says where it is and what is in it", async () => {
  await using cache = await makeCache();
  const dir = await cache.command(["cache", "dir"]);
  assertEquals(dir, { code: 0, stdout: `${cache.folder}\n`, stderr: "" });
  await Deno.writeTextFile(join(cache.folder, "notes"), "");
  const { stdout } = await cache.command(["cache", "list"]);
  const today = new Date().toISOString().slice(0, 10);
  const id = shortId(baseFolder(cache.folder));
  const row = `${today} +\\d+\\.\\d MiB +complete +3\\.\\d+\\.\\d+`;
  assertMatch(
    stdout,
    RegExp(
      `\n  ${shortId(resolverStart(cache.folder))}  ${row}  packaging .*\n`,
    ),
  );
  await Deno.remove(resolverStart(cache.folder), { recursive: true });
  const { stdout: only } = await cache.command(["cache", "list"]);
  assertMatch(
    only,
    new RegExp(
      `^${cache.folder}\n\nEnvironments\n  id .*\n` +
        `  ${id}  ${row}  -\n\n` +
        `Not of this program, left alone:\n  ${cache.folder}/notes\n\n` +
        `\\d+\\.\\d MiB in 1 environment and 0 wheels\n$`,
    ),
  );
  const pruned = await cache.command(["cache", "prune"]);
  assertMatch(pruned.stdout, /^0\.0 MiB freed\n/);
  assertFails(
    await cacheAt(join(cache.folder, "notes")).command(["cache", "clean"]),
    /^error: Cannot use the cache in .*notes: Not a directory\. Choose another folder with --cache-dir\.\n$/,
  );
});

Deno.test("cache list fits 100 columns, the last used first; remove takes what no process uses", async (test) => {
  await using cache = await makeCache();
  const long = Array.from({ length: 9 }, (_, at) => `mrp-fixture-long-${at}`);
  await using index = startIndex(long.map((name) => wheel({ name })));
  const wanted = ["--index-url", index.url, "--deps", long.toReversed().join()];
  const { stdout } = await cache.command([...wanted, "install"]);
  const folder = String(/^in (.*)$/m.exec(stdout)?.[1]);
  const id = shortId(folder);
  const [base, resolver] = [baseFolder, resolverStart]
    .map((toPath) => toPath(cache.folder));
  assert(base && resolver);
  await age(join(base, "used"), 3);
  await age(join(resolver, "used"), 8);
  const remove = (...ids: string[]) =>
    cache.command(["cache", "remove", ...ids]);

  await test.step("the list", async () => {
    const { stdout } = await cache.command(["cache", "list"]);
    const [, ...lines] = stdout.split("\n");
    assertEquals(lines.filter((line) => [...line].length > 100), []);
    const [first = "", ...rest] = lines.slice(3, 6);
    assertMatch(first, RegExp(`^  ${id} .*  mrp-fixture-long-0 1\\.0, .*…$`));
    assertEquals(rest.map((line) => line.slice(2, 14)), [
      shortId(base),
      shortId(resolver),
    ]);
  });
  await test.step("an id that is not there, or not one's alone", async () => {
    const unknown = await remove(id, "none");
    assertFails(
      unknown,
      /^error: Cannot remove "none" as no environment has this id\. There are:\n/,
      2,
    );
    const ids = [folder, base, resolver].map((path) => `  ${basename(path)}\n`);
    assert(unknown.stderr.endsWith(ids.join("")), unknown.stderr);
    assertFails(await remove(""), /"" as several environments begin so:\n/, 2);
    assertEquals(cache.entries().length, 2);
  });
  await test.step("one in use", async () => {
    using _ = holdEnvironment(folder);
    assertFails(
      await remove(id),
      /^error: Cannot remove \S+ as it is in use: end the server, run or install that uses it\.\n$/,
    );
  });
  await test.step("one that is not, whose wheels stay", async () => {
    const { code, stdout } = await remove(id);
    assertMatch(
      stdout,
      /^removed \S+ \(\d+\.\d MiB\)\n\d+\.\d MiB freed\n$/,
    );
    assertEquals([code, cache.entries()], [0, [basename(base)]]);
    const { stdout: left } = await cache.command(["cache", "list"]);
    assertMatch(left, /in 2 environments and 9 wheels\n$/);
  });
  await test.step("prune takes an age", async () => {
    const prune = (age: string) => cache.command(["cache", "prune", age]);
    assertMatch((await prune("9d")).stdout, /^0\.0 MiB freed\n/);
    const { stdout } = await prune("1w");
    assertMatch(
      stdout,
      RegExp(`^removed ${resolver} .*\n\\d+\\.\\d MiB freed\n`),
    );
  });
});

Deno.test("cache prune --session-store keeps the environments of stored sessions, and names them", async () => {
  await using cache = await makeFakeCache();
  await using store = await tempFolder();
  const needed = await cache.addEnvironment("a", { daysAgo: 99 });
  const other = await cache.addEnvironment("b", { daysAgo: 99 });
  for (const key of ["one", "two"]) {
    const metadata = { environment: toId("a") };
    await writeStored(store.path, { key, metadata });
  }
  const { command } = cacheAt(cache.path);
  const prune = (folder: string) =>
    command(["--session-store", folder, "cache", "prune"]);
  const kept = `\nKept:\n  ${needed}: 2 stored sessions need it\n`;
  const none = join(store.path, "none");
  assertFails(
    await prune(none),
    /^error: Cannot tell which environments the sessions of --session-store .*none need: there is not such a folder\. /,
    2,
  );
  assertEquals(await prune(store.path), {
    ...{ code: 0, stderr: "" },
    stdout: `removed ${other} (1.0 MiB)\n1.0 MiB freed\n${kept}`,
  });
  const clean = ["--session-store", store.path, "cache", "clean"];
  assertEquals((await command(clean)).stdout, `0.0 MiB freed\n${kept}`);
  const { stdout } = await command(["cache", "prune"]);
  assertEquals(stdout, `removed ${needed} (1.0 MiB)\n1.0 MiB freed\n`);
});

Deno.test({
  name:
    "a cache on a read-only disk serves, and says that it cannot be cleaned",
  ignore: Boolean(NO_TMPFS),
  async fn() {
    await using disk = await mountDisk("size=1g");
    const cache = cacheAt(disk.folder);
    await addPython(disk.folder);
    await makeReadOnly(disk.folder);
    const run = await cache.command(["run", "-c", "print(1)"]);
    assertEquals([run.stdout, run.stderr], ["1\n", ""]);
    assertFails(
      await cache.command(["cache", "clean"]),
      /^error: Cannot use the cache in .*: Read-only file system\. /,
    );
    {
      await using server = await startServer(["--cache-dir", disk.folder]);
      assertEquals((await server.call("1")).returnValue, 1);
      const list = await cache.command(["cache", "list"]);
      assertMatch(list.stdout, /complete, in use/);
    }
  },
});

Deno.test({
  name: "phase 1 that is killed leaves nothing running, and a cache that works",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using cache = await makeCache();
    const asked = Promise.withResolvers<void>();
    const killed = Promise.withResolvers<undefined>();
    await using index = startIndex([fixture], {
      answers: {
        "/simple/mrp-fixture-good/": () => {
          asked.resolve();
          return killed.promise;
        },
      },
    });
    const wanted = ["--index-url", index.url, "--deps", "mrp-fixture-good"];
    await using launcher = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        CLI,
        "--cache-dir",
        cache.folder,
        ...wanted,
        "install",
      ],
      stderr: "null",
    }).spawn();
    await asked.promise;
    const family = descendants(launcher.pid);
    assert(family.length > 0);
    launcher.kill("SIGKILL");
    assertEquals(await whichOutlive(family), []);
    killed.resolve(undefined);

    const run = await cache.command([...wanted, ...RUN]);
    assertEquals(run.stdout, "1.0\n", run.stderr);
    assertWhole(cache, 2);
  },
});

Deno.test("what killed installs left is removed when it is old", async () => {
  await using cache = await makeCache();
  await using index = startIndex([fixture]);
  const hoursAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
  const draft = `${"0".repeat(24)}.${crypto.randomUUID()}`;
  const drafts = {
    old: `${draft}.tmp`,
    moved: `${draft}.old`,
    young: `${"1".repeat(24)}.${crypto.randomUUID()}.tmp`,
  };
  for (const name of Object.values(drafts)) {
    const path = join(cache.folder, "environments", name);
    await Deno.mkdir(path);
    await Deno.writeTextFile(join(path, "snapshot.bin"), "half");
    if (name !== drafts.young) await Deno.utime(path, hoursAgo, hoursAgo);
  }
  const wanted = ["--index-url", index.url, "--deps", "mrp-fixture-good"];
  const { code, stderr } = await cache.command([...wanted, "install"]);
  assertEquals(code, 0, stderr);
  const left = Object.values(drafts).filter((name) =>
    cache.entries().includes(name)
  );
  assertEquals(left, [drafts.young]);
});

/** A command that goes on, and what it says meanwhile. */
function startCommand(cache: TestCache, args: string[]) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", CLI, "--cache-dir", cache.folder, ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const lines = child.stderr.pipeThrough(new TextDecoderStream());
  const reader = lines.getReader();
  return {
    child,
    stdout: new Response(child.stdout).text(),
    async says(pattern: RegExp) {
      const { value = "" } = await reader.read();
      assertMatch(value, pattern);
    },
    async [Symbol.asyncDispose]() {
      await reader.cancel();
      await child.status;
    },
  };
}

function assertInstalledOnce(index: TestIndex): void {
  assertEquals(index.requests, [PAGE, `/files/${fixture.filename}`]);
}

/** Nothing but environments, and all of them complete. */
function assertWhole(cache: TestCache, count: number): void {
  const whole = cache.entries().filter((name) =>
    maybeOpenEnvironment(join(cache.folder, "environments", name))
  );
  assertEquals(whole, cache.entries());
  assertEquals(whole.length, count);
}
