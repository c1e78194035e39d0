import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { assertEquals } from "../../deps/assert.ts";
import { baseFolderFor } from "../../src/launcher/installing/environment_id.ts";
import { CACHE, command, type CommandOptions, type Ended } from "./command.ts";

/** A cache folder of a test's own; removed at the end. */
export interface TestCache extends AsyncDisposable {
  folder: string;
  /** Runs the real command with this cache. */
  command(args: string[], options?: CommandOptions): Promise<Ended>;
  /** Names below `environments`. */
  entries(): string[];
  /** Removes the wheels that environments were made of. */
  forgetWheels(): Promise<void>;
}

/** A cache in which Python is ready, and nothing is installed. */
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
        .map(({ name }) => name).sort(),
    forgetWheels: () =>
      rm(join(folder, "wheels"), { recursive: true, force: true }),
  };
}

/** Copies Python's snapshot from the cache of all tests: making it takes seconds. */
export async function addPython(folder: string): Promise<void> {
  const made = await command(["install"]);
  assertEquals(made.code, 0, made.stderr);
  const base = baseFolder(CACHE);
  await cp(base, baseFolder(folder), { recursive: true });
}

/** The environment without packages. */
export function baseFolder(cacheDir: string): string {
  return baseFolderFor({ cacheDir });
}
