import { EXIT, reasonOf, UserError } from "../../errors.ts";
import {
  type CacheContents,
  type CachedEnvironment,
  listCache,
} from "../../environments/cache.ts";
import {
  cleanCache,
  pruneCache,
  type Removed,
} from "../../environments/prune.ts";
import { log, print } from "../../log.ts";
import { readable } from "../../environments/wanted_environment.ts";
import type { Settings } from "../../settings.ts";
import type { CacheAction } from "../arguments.ts";
import { toCount, toMiB } from "../sizes.ts";
import { toTable } from "../table.ts";

/** Most paths of a kind that are named. */
const MOST_NAMED = 20;
const FOREIGN = "Not of this program, left alone:";

/**
 * Lists the cache, or removes a part of it; 1 if a file could not be removed.
 *
 * @throws {UserError} If the cache cannot be read, or its files not be removed.
 */
export async function cache(
  settings: Pick<Settings, "cacheDir" | "otherCacheDir">,
  action: CacheAction,
): Promise<number> {
  const { cacheDir, otherCacheDir } = readable(settings);
  if (otherCacheDir !== undefined) log(`Installs also read ${otherCacheDir}`);
  try {
    switch (action) {
      case "dir":
        return tell([cacheDir]);
      case "list":
        return tell(toList(cacheDir, await listCache(cacheDir)));
      case "prune":
        return tellRemoved(await pruneCache(cacheDir, { otherCacheDir }));
      case "clean":
        return tellRemoved(await cleanCache(cacheDir));
    }
  } catch (error) {
    throw new UserError(
      `Cannot use the cache in ${cacheDir}: ${reasonOf(error)}. ` +
        "Choose another folder with --cache-dir.",
    );
  }
}

function toList(
  cacheDir: string,
  { environments, wheels, drafts, foreign, bytes }: CacheContents,
): string[] {
  const ofEnvironments = toCount(environments.length, "environment");
  const ofWheels = toCount(wheels.length, "wheel");
  return [
    cacheDir,
    ...toSection("Environments", [
      ["id", "size", "last used", "state", "Python", "Pyodide", "packages"],
      ...environments.map(toRow),
    ]),
    ...toSection("Wheels", [
      ["file", "size", "environments"],
      ...wheels.map((one) => [one.file, toMiB(one.bytes), `${one.usedBy}`]),
    ]),
    ...toSection("Unfinished", [
      ["path", "size", "last written"],
      ...drafts.map((one) => [one.path, toMiB(one.bytes), toDay(one.lastUsed)]),
    ]),
    ...toNamed(FOREIGN, foreign),
    "",
    `${toMiB(bytes)} in ${ofEnvironments} and ${ofWheels}`,
  ];
}

function toRow(environment: CachedEnvironment): string[] {
  const { id, bytes, lastUsed, inUse, contents } = environment;
  const state = contents ? "complete" : "damaged";
  return [
    id,
    toMiB(bytes),
    toDay(lastUsed),
    inUse ? `${state}, in use` : state,
    contents?.python ?? "-",
    contents?.pyodide ?? "-",
    contents?.packages.map(({ name, version }) => `${name} ${version}`)
      .join(", ") || "-",
  ];
}

/** A titled table; empty if the header is its only row. */
function toSection(title: string, rows: string[][]): string[] {
  if (rows.length === 1) return [];
  return ["", title, ...toTable(rows).map((line) => `  ${line}`)];
}

function toNamed(title: string, paths: string[]): string[] {
  if (paths.length === 0) return [];
  const named = paths.slice(0, MOST_NAMED).map((path) => `  ${path}`);
  const rest = paths.length - named.length;
  return ["", title, ...named, ...(rest > 0 ? [`  … and ${rest} more`] : [])];
}

function tellRemoved(
  { removed, kept, failed, foreign, bytes }: Removed,
): number {
  const toLines = (list: Removed["kept"]) =>
    list.map(({ path, why }) => `${path}: ${why}`);
  tell([
    ...removed.map(({ path, bytes }) => `removed ${path} (${toMiB(bytes)})`),
    `${toMiB(bytes)} freed`,
    ...toNamed("Kept:", toLines(kept)),
    ...toNamed(FOREIGN, foreign),
    ...toNamed("Could not be removed:", toLines(failed)),
  ]);
  return failed.length > 0 ? EXIT.failure : EXIT.ok;
}

function tell(lines: string[]): number {
  print(lines.map((line) => `${line}\n`).join(""));
  return EXIT.ok;
}

function toDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}
