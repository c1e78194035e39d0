import { cp, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { assertEquals } from "../../deps/assert.ts";
import {
  environmentFolder,
  maybeOpenEnvironment,
} from "../../src/environments/environment.ts";
import { toResolverId } from "../../src/installer/resolver_start.ts";
import { NPM_PYODIDE, toRuntime } from "../../src/engines/pyodide/runtime.ts";
import { toBaseId } from "../../src/launcher/installing/request_id.ts";
import { CACHE, command, type CommandOptions, type Ended } from "./command.ts";
import { tempFolder } from "./folder.ts";
import { wheel } from "./wheel.ts";

const BASE_ID = toBaseId(toRuntime(NPM_PYODIDE));

/** A cache folder of a test's own; removed at the end. */
export interface TestCache extends AsyncDisposable {
  folder: string;
  /** Runs the real command with this cache. */
  command(args: string[], options?: CommandOptions): Promise<Ended>;
  /** Names below `environments`, without the resolver's own. */
  entries(): string[];
  /** Removes the wheels that environments were made of. */
  forgetWheels(): Promise<void>;
}

/** A cache in which Python and the resolver are ready, and nothing is installed. */
export async function makeCache(): Promise<TestCache> {
  const cache = await makeEmptyCache();
  await addPython(cache.folder);
  return cache;
}

/** A cache that was never used. */
export async function makeEmptyCache(): Promise<TestCache> {
  const folder = await Deno.makeTempDir({ prefix: "mcp-run-python-" });
  return {
    ...cacheAt(folder),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** The same for a folder that is removed by someone else. */
export function cacheAt(
  folder: string,
): Omit<TestCache, keyof AsyncDisposable> {
  return {
    folder,
    command: (args, options) =>
      command(["--cache-dir", folder, ...args], options),
    entries: () =>
      [...Deno.readDirSync(join(folder, "environments"))]
        .map(({ name }) => name)
        .filter((name) => name !== basename(resolverStart(folder)))
        .sort(),
    forgetWheels: () =>
      rm(join(folder, "wheels"), { recursive: true, force: true }),
  };
}

/**
 * Copies the snapshots of Python and of the resolver from the cache of all tests:
 * making them takes seconds.
 */
export async function addPython(folder: string): Promise<void> {
  await ensurePython();
  for (const toPath of [baseFolder, resolverStart]) {
    await cp(toPath(CACHE), toPath(folder), { recursive: true });
  }
}

let ensured: Promise<void> | undefined;

/** Makes these snapshots in the cache of all tests, unless they are there. */
export function ensurePython(): Promise<void> {
  ensured ??= makePython();
  return ensured;
}

async function makePython(): Promise<void> {
  const needed = [baseFolder(CACHE), resolverStart(CACHE)];
  if (needed.every(maybeOpenEnvironment)) return;
  await using links = await tempFolder();
  const { filename, bytes } = wheel({ name: "mrp-fixture-first" });
  await Deno.writeFile(join(links.path, filename), bytes);
  const { code, stderr } = await command([
    ...["--offline", "--find-links", links.path],
    ...["--deps", "mrp-fixture-first", "install", "--dry-run"],
  ]);
  assertEquals(code, 0, stderr);
}

/** The environment without packages. */
export function baseFolder(cacheDir: string): string {
  return environmentFolder(cacheDir, BASE_ID);
}

/** The environment that the resolver starts from. */
export function resolverStart(cacheDir: string): string {
  return environmentFolder(cacheDir, toResolverId(BASE_ID));
}
