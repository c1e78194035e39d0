/**
 * Phase 1 that is killed, with all its family, at any moment of an install.
 *
 * Moments are events (a request, a file that appears, a line that is said), so
 * that no clock decides what is tested. `deno task slow` tries them all.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals } from "../deps/assert.ts";
import { sha256 } from "../src/disk.ts";
import {
  damagedFiles,
  maybeOpenEnvironment,
} from "../src/environments/environment.ts";
import { NOTE } from "../src/environments/origins.ts";
import { log } from "../src/log.ts";
import { makeCache, type TestCache } from "./support/cache.ts";
import { CLI } from "./support/command.ts";
import { startIndex } from "./support/index_server.ts";
import { killFamily } from "./support/processes.ts";
import { ALL_ROUNDS } from "./support/rounds.ts";
import { type IndexFile, wheel } from "./support/wheel.ts";

const NO_PROC = Deno.build.os !== "linux" && "needs /proc to find processes";
if (NO_PROC) log(`skipped: kill phase 1 at any moment: ${NO_PROC}`);

/** When to kill. */
type Moment =
  /** The index was asked so many times, and has not answered the last. */
  | { request: number }
  /** So many wheels are being written, and the last of them stays half. */
  | { halfOfFile: number }
  /** So many paths like this appeared in the cache. */
  | { path: RegExp; count?: number }
  /** So many lines were said. */
  | { line: number };

const DRAFT = /environments\/[0-9a-f]{24}\.[0-9a-f-]{36}\.tmp/;

const MOMENTS = {
  "its lock is there": { path: /locks\/[0-9a-f]{24}$/ },
  "its first page is asked for": { request: 1 },
  "its first wheel is asked for": { request: 2 },
  "a page of what it needs is asked for": { request: 3 },
  "another such page is asked for": { request: 4 },
  "another such wheel is asked for": { request: 5 },
  "its last wheel is asked for": { request: 6 },
  "its first wheel is half there": { halfOfFile: 1 },
  "its second wheel is half there": { halfOfFile: 2 },
  "its third wheel is half there": { halfOfFile: 3 },
  "a wheel has its folder": { path: /wheels\/[0-9a-f]{64}$/ },
  "a wheel is in its folder": { path: /wheels\/[0-9a-f]{64}\/.*\.whl$/ },
  "all wheels have their folders": { path: /wheels\/[0-9a-f]{64}$/, count: 3 },
  "it says its first line": { line: 1 },
  "it says its second line": { line: 2 },
  "it says its fourth line": { line: 4 },
  "it says that it compiles": { line: 5 },
  "its draft is there": { path: RegExp(`${DRAFT.source}$`) },
  "its draft has a file": { path: RegExp(`${DRAFT.source}/.*\\.bin$`) },
  "its draft has all files but the last": {
    path: RegExp(`${DRAFT.source}/environment\\.json$`),
  },
  "its draft has all files": { path: RegExp(`${DRAFT.source}/complete$`) },
  "it is in its place": { path: /environments\/[0-9a-f]{24}$/ },
} satisfies Record<string, Moment>;

/** A moment of each part of an install. */
const FEW: (keyof typeof MOMENTS)[] = [
  "its lock is there",
  "a page of what it needs is asked for",
  "its second wheel is half there",
  "all wheels have their folders",
  "its draft has a file",
  "its draft has all files",
  "it is in its place",
];

Deno.test({
  name:
    "a start works after one that was killed, whenever that was, and nothing in the cache is broken",
  ignore: Boolean(NO_PROC),
  async fn(test) {
    await using cache = await makeCache();
    await Deno.mkdir(join(cache.folder, "wheels"));
    await Deno.mkdir(join(cache.folder, "locks"), { recursive: true });
    const before = environments(cache).length;
    const all: [string, Moment][] = Object.entries(MOMENTS);
    const moments = all.filter(([name]) =>
      ALL_ROUNDS || FEW.some((few) => few === name)
    );
    for (const [at, [name, moment]] of moments.entries()) {
      await test.step(`when ${name}`, () => killAndStart(cache, at, moment));
    }

    await test.step("at the end all is whole", async () => {
      await assertWhole(cache, before + moments.length);
    });
    await test.step("what was left behind is removed when it is old", async () => {
      const left = drafts(cache);
      assert(left.some((path) => path.includes("/wheels/")), String(left));
      assert(left.some((path) => path.includes("/environments/")));
      const [young, ...old] = left;
      const hoursAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
      for (const path of old) await Deno.utime(path, hoursAgo, hoursAgo);
      const last = wheel({ name: "mrp-fixture-last" });
      await using index = startIndex([last]);
      const { code, stderr } = await cache.command([
        ...["--index-url", index.url, "--deps", "mrp-fixture-last", "install"],
      ]);
      assertEquals(code, 0, stderr);
      assertEquals(drafts(cache), [young]);
    });
  },
});

async function killAndStart(
  cache: TestCache,
  at: number,
  moment: Moment,
): Promise<void> {
  const name = `mrp-fixture-moment${at}`;
  const files = [
    wheel({ name, requires: [`${name}-left`, `${name}-right`] }),
    wheel({ name: `${name}-left` }),
    wheel({ name: `${name}-right` }),
  ];
  const killed = Promise.withResolvers<undefined>();
  const reached = Promise.withResolvers<void>();
  await using index = startIndex(files, {
    answers: pausing(files, moment, reached.resolve, killed.promise),
  });
  const install = ["--index-url", index.url, "--deps", name, "install"];
  {
    using watcher = Deno.watchFs(cache.folder);
    if ("path" in moment) watchPaths(watcher, moment, reached.resolve);
    if ("halfOfFile" in moment) {
      const drafts = { path: /wheels\/[^/]*\.tmp$/, count: moment.halfOfFile };
      watchPaths(watcher, drafts, reached.resolve);
    }
    const launcher = new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "-A", CLI, "--cache-dir", cache.folder],
        ...install,
      ],
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const said = readLines(launcher.stderr, (count) => {
      if ("line" in moment && count === moment.line) reached.resolve();
    });
    // One that ends before is as good as one that is killed at its very end.
    await Promise.race([reached.promise, launcher.status]);
    killFamily(launcher.pid);
    killed.resolve(undefined);
    const { success } = await launcher.status;
    const mayEnd = "path" in moment && !moment.count;
    assert(mayEnd || !success, `ended before it was killed:\n${await said}`);
    await said;
  }
  const { code, stdout, stderr } = await cache.command(install);
  assertEquals(code, 0, stderr);
  assertEquals(stdout.split("\n").slice(1, 4), [
    `${name} 1.0`,
    `${name}-left 1.0`,
    `${name}-right 1.0`,
  ]);
}

/** Has an index wait with its answer when the moment has come. */
function pausing(
  files: IndexFile[],
  moment: Moment,
  reach: () => void,
  killed: Promise<undefined>,
): Record<string, () => Promise<Response | undefined>> {
  let requests = 0;
  let begun = 0;
  const onRequest = async () => {
    requests++;
    if (!("request" in moment) || requests < moment.request) return undefined;
    if (requests === moment.request) reach();
    return await killed;
  };
  const pages = files.map(({ project }) => `/simple/${project}/`);
  const bodies = files.map(({ filename, bytes }) =>
    [`/files/${filename}`, async () => {
      begun++;
      if (!("halfOfFile" in moment) || begun !== moment.halfOfFile) {
        return await onRequest();
      }
      return half(bytes, killed);
    }] as const
  );
  return Object.fromEntries([
    ...pages.map((page) => [page, onRequest] as const),
    ...bodies,
  ]);
}

/** A body that ends only when there is no one any more to read it. */
function half(
  bytes: Uint8Array<ArrayBuffer>,
  killed: Promise<undefined>,
): Response {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => controller.enqueue(bytes.slice(0, 100)),
    async pull(controller) {
      await killed;
      controller.close();
    },
  });
  return new Response(body);
}

async function watchPaths(
  watcher: Deno.FsWatcher,
  { path, count = 1 }: { path: RegExp; count?: number },
  reach: () => void,
): Promise<void> {
  const found = new Set<string>();
  for await (const { paths } of watcher) {
    for (const one of paths) if (path.test(one)) found.add(one);
    if (found.size >= count) reach();
  }
}

/** Counts lines as they come; gives all of them. */
async function readLines(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  onLine: (count: number) => void,
): Promise<string> {
  let text = "";
  for await (const piece of stream.pipeThrough(new TextDecoderStream())) {
    const before = text.split("\n").length;
    text += piece;
    for (let at = before; at < text.split("\n").length; at++) onLine(at);
  }
  return text;
}

function environments(cache: TestCache): string[] {
  return cache.entries().filter((name) => !name.includes("."));
}

function drafts({ folder }: TestCache): string[] {
  return ["environments", "wheels"].flatMap((name) =>
    [...Deno.readDirSync(join(folder, name))]
      .map((entry) => join(folder, name, entry.name))
      .filter((path) => /\.(tmp|old)$/.test(path)).sort()
  );
}

async function assertWhole(cache: TestCache, count: number): Promise<void> {
  const ids = environments(cache);
  assertEquals(ids.length, count);
  for (const id of ids) {
    const folder = join(cache.folder, "environments", id);
    const environment = maybeOpenEnvironment(folder);
    assert(environment, `${id} does not open`);
    assertEquals(await damagedFiles(environment), []);
  }
  const wheels = join(cache.folder, "wheels");
  for await (const { name, isDirectory } of Deno.readDir(wheels)) {
    if (!isDirectory) continue;
    for await (const file of Deno.readDir(join(wheels, name))) {
      const bytes = await Deno.readFile(join(wheels, name, file.name));
      // A note on where the wheel came from is whole when it is there.
      const whole = NOTE.test(file.name) ? sha256("") : name;
      assertEquals(sha256(bytes), whole, file.name);
    }
  }
}
