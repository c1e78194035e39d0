/**
 * Phase 1, killed at twenty moments: the next start works, and nothing in the
 * cache is broken.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals } from "../deps/assert.ts";
import { maybeOpenEnvironment } from "../src/install/environment.ts";
import { log } from "../src/log.ts";
import { readLines } from "../src/protocol/lines.ts";
import { makeCache, type TestCache } from "./support/cache.ts";
import { CLI } from "./support/command.ts";
import { startIndex } from "./support/index_server.ts";
import { descendants, whichOutlive } from "./support/processes.ts";
import { hash, wheel } from "./support/wheel.ts";

const NO_PROC = Deno.build.os !== "linux" && "needs /proc to find processes";
if (NO_PROC) log(`skipped: phase 1 killed: ${NO_PROC}`);

const NAMES = ["one", "two", "three", "four"].map((name) =>
  `mrp-fixture-${name}`
);

/** What happens in an install, as it is seen from outside. */
type Moment =
  | { kind: "request"; count: number }
  | { kind: "line"; count: number }
  | { kind: "file"; below: "wheels" | "environments" };

const MOMENTS: Moment[] = [
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((count) => ({
    kind: "request" as const,
    count,
  })),
  ...[1, 2, 3, 4, 5, 6, 7].map((count) => ({ kind: "line" as const, count })),
  ...[1, 2, 3].map(() => ({ kind: "file" as const, below: "wheels" as const })),
  ...[1, 2].map(() => ({
    kind: "file" as const,
    below: "environments" as const,
  })),
];

Deno.test({
  name: "phase 1 can be killed at any moment",
  ignore: Boolean(NO_PROC),
  async fn() {
    assertEquals(MOMENTS.length, 20);
    await using cache = await makeCache();
    let onRequest = () => {};
    await using index = startIndex(
      NAMES.map((name, at) =>
        wheel({ name, requires: NAMES.slice(at + 1, at + 2) })
      ),
      {
        answers: new Proxy({}, {
          get: () => () => void onRequest(),
        }),
      },
    );
    const args = ["--index-url", index.url, "--deps", String(NAMES[0])];
    for (const moment of MOMENTS) {
      await cache.forgetWheels();
      await killAt(cache, args, moment, (listener) => onRequest = listener);
    }
    onRequest = () => {};
    const code = `import ${
      NAMES.map((name) => name.replaceAll("-", "_")).join(", ")
    }; print("works")`;
    const { stdout, stderr } = await cache.command([
      ...args,
      ...["run", "-c", code],
    ]);
    assertEquals(stdout, "works\n", stderr);
    await assertWhole(cache);
  },
});

async function killAt(
  cache: TestCache,
  args: string[],
  moment: Moment,
  listen: (listener: () => void) => void,
): Promise<void> {
  const reached = Promise.withResolvers<void>();
  let count = 0;
  const tick = () => {
    if ("count" in moment && ++count >= moment.count) reached.resolve();
  };
  listen(moment.kind === "request" ? tick : () => {});
  using watcher = moment.kind === "file"
    ? watchDrafts(join(cache.folder, moment.below), reached.resolve)
    : undefined;
  void watcher;
  const launcher = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", CLI, "--cache-dir", cache.folder, ...args, "install"],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const lines = (async () => {
    for await (const _ of readLines(launcher.stderr, 1 << 16)) {
      if (moment.kind === "line") tick();
    }
  })();
  // An install may be over before: then it was not killed, and is as good.
  await Promise.race([reached.promise, launcher.status]);
  const family = [launcher.pid, ...descendants(launcher.pid)];
  for (const pid of family) {
    try {
      Deno.kill(pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  }
  await launcher.status;
  await lines;
  assertEquals(await whichOutlive(family, 2000), []);
  await removeEnvironments(cache);
}

/** Tells when a draft is being written below a folder. */
function watchDrafts(folder: string, onDraft: () => void): Disposable {
  Deno.mkdirSync(folder, { recursive: true });
  const watcher = Deno.watchFs(folder, { recursive: false });
  (async () => {
    for await (const { paths } of watcher) {
      if (paths.some((path) => path.endsWith(".tmp"))) onDraft();
    }
  })();
  return { [Symbol.dispose]: () => watcher.close() };
}

/** What was complete, so that the next install has something to do. */
async function removeEnvironments(cache: TestCache): Promise<void> {
  for (const name of cache.entries()) {
    const folder = join(cache.folder, "environments", name);
    const environment = maybeOpenEnvironment(folder);
    if (environment && environment.packages.length > 0) {
      await Deno.remove(folder, { recursive: true });
    }
  }
}

async function assertWhole(cache: TestCache): Promise<void> {
  for (const name of cache.entries()) {
    if (/\.(tmp|old)$/.test(name)) continue;
    const folder = join(cache.folder, "environments", name);
    assert(maybeOpenEnvironment(folder), name);
  }
  const wheels = join(cache.folder, "wheels");
  let count = 0;
  for await (const { name, isDirectory } of Deno.readDir(wheels)) {
    if (!isDirectory) continue;
    for await (const file of Deno.readDir(join(wheels, name))) {
      const bytes = await Deno.readFile(join(wheels, name, file.name));
      assertEquals(hash(bytes), name);
      count++;
    }
  }
  assertEquals(count, NAMES.length);
}
