import { relative } from "node:path";
import { EXIT, reasonOf, UserError } from "../../errors.ts";
import {
  type CacheContents,
  type CachedDraft,
  type CachedEnvironment,
  listCache,
} from "../../environments/cache.ts";
import {
  cleanCache,
  pruneCache,
  type Removed,
  removeEnvironments,
} from "../../environments/prune.ts";
import { log, print } from "../../log.ts";
import { readable } from "../../environments/wanted_environment.ts";
import type { Settings } from "../../settings.ts";
import type { CacheOrder } from "../arguments.ts";
import { needsOf } from "../stored_sessions.ts";
import { toCount, toMiB, toSection, toTable } from "../sizes.ts";

/** Most paths of a kind that are named. */
const MOST_NAMED = 20;
/** Letters of an id that the list shows. */
const ID_LETTERS = 12;
const LIST_WIDTH = 100;
const FOREIGN = "Not of this program, left alone:";

/**
 * Lists the cache, or removes a part of it; 1 if a file could not be removed.
 *
 * @throws {UserError} If the cache cannot be read, or its files not be removed.
 */
export async function cache(
  settings: Pick<Settings, "cacheDir" | "otherCacheDir" | "sessionStore">,
  order: CacheOrder,
): Promise<number> {
  const { cacheDir, otherCacheDir } = readable(settings);
  if (otherCacheDir !== undefined) log(`Installs also read ${otherCacheDir}`);
  try {
    switch (order.action) {
      case "dir":
        return tell([cacheDir]);
      case "list":
        return tell(toList(cacheDir, await listCache(cacheDir)));
      case "prune":
        return tellRemoved(
          await pruneCache(cacheDir, {
            ...{ ...order, otherCacheDir },
            ...await needs(settings),
          }),
        );
      case "remove": {
        const ids = await findIds(cacheDir, order.ids);
        return tellRemoved(
          await removeEnvironments(cacheDir, ids, await needs(settings)),
        );
      }
      case "clean":
        return tellRemoved(await cleanCache(cacheDir, await needs(settings)));
    }
  } catch (error) {
    if (error instanceof UserError) throw error;
    const reason = reasonOf(error);
    throw new UserError(
      `Cannot use the cache in ${cacheDir}: ${reason}. Choose another folder with --cache-dir.`,
    );
  }
}

/** What keeps environments: sessions that a store has of them, if it is named. */
async function needs({ sessionStore }: Pick<Settings, "sessionStore">) {
  return sessionStore === undefined
    ? {}
    : { needOf: await needsOf(sessionStore) };
}

/** The ids that begin so; throws if there is not one for each, or it is in use. */
async function findIds(cacheDir: string, prefixes: string[]) {
  const { environments } = await listCache(cacheDir);
  const list = (found: CachedEnvironment[]) =>
    toNames(found.sort(byLastUse).map(({ id }) => id))
      .map((name) => `\n  ${name}`).join("");
  return prefixes.map((prefix) => {
    const found = environments.filter(({ id }) => id.startsWith(prefix));
    const [only] = found;
    const refuse = (reason: string) =>
      new UserError(`Cannot remove "${prefix}" as ${reason}`, EXIT.usage);
    if (environments.length === 0) {
      throw refuse(`${cacheDir} has no environment.`);
    }
    if (!only) {
      const all = list(environments);
      throw refuse(`no environment has this id. There are:${all}`);
    }
    if (found.length > 1) {
      throw refuse(`several environments begin so:${list(found)}`);
    }
    if (only.inUse) {
      throw new UserError(
        `Cannot remove ${only.path} as it is in use: end the server, run or install that uses it.`,
      );
    }
    return only.id;
  });
}

function toList(
  cacheDir: string,
  { environments, wheels, components, drafts, foreign, bytes }: CacheContents,
): string[] {
  const ofEnvironments = toCount(environments.length, "environment");
  const ofWheels = toCount(wheels.length, "wheel");
  return [
    cacheDir,
    ...toColumns("Environments", [
      ["id", "last used", "size", "state", "Python", "packages"],
      ...environments.sort(byLastUse).map(toRow),
    ]),
    ...toColumns("Wheels", [
      ["last written", "size", "environments", "file"],
      ...wheels.sort(byLastUse).map(({ lastUsed, bytes, usedBy, file }) => {
        return [toDay(lastUsed), toMiB(bytes), `${usedBy}`, file];
      }),
    ]),
    ...toFiles("Components", components, cacheDir),
    ...toFiles("Unfinished", drafts, cacheDir),
    ...toSection(FOREIGN, toNames(foreign)),
    "",
    `${toMiB(bytes)} in ${ofEnvironments} and ${ofWheels}`,
  ];
}

function toRow(environment: CachedEnvironment): string[] {
  const { id, bytes, lastUsed, inUse, contents } = environment;
  const state = contents ? "complete" : "damaged";
  const { python = "-", packages = [], requested = [] } = contents ?? {};
  // The packages that were asked for come first, as long lists are cut.
  const first = packages.filter(({ name }) => requested.includes(name));
  const names = [...new Set([...first, ...packages])]
    .map(({ name, version }) => `${name} ${version}`);
  return [
    id.slice(0, ID_LETTERS),
    toDay(lastUsed),
    toMiB(bytes),
    inUse ? `${state}, in use` : state,
    python,
    names.join(", ") || "-",
  ];
}

function toFiles(
  title: string,
  all: CachedDraft[],
  cacheDir: string,
): string[] {
  return toColumns(title, [
    ["last written", "size", "path"],
    ...all.sort(byLastUse).map(({ lastUsed, bytes, path }) => {
      return [toDay(lastUsed), toMiB(bytes), relative(cacheDir, path)];
    }),
  ]);
}

function byLastUse(a: CachedDraft, b: CachedDraft): number {
  return Number(b.lastUsed) - Number(a.lastUsed);
}

/** A titled table; nothing if the header is its only row. */
function toColumns(title: string, rows: string[][]): string[] {
  const isEmpty = rows.length === 1;
  return toSection(title, isEmpty ? [] : toTable(rows, LIST_WIDTH - 2));
}

function toNames(paths: string[]): string[] {
  const named = paths.slice(0, MOST_NAMED);
  const rest = paths.length - named.length;
  return [...named, ...(rest > 0 ? [`… and ${rest} more`] : [])];
}

function tellRemoved(result: Removed): number {
  const { removed, kept, failed, foreign, bytes } = result;
  const toLines = (list: Removed["kept"]) =>
    list.map(({ path, why }) => `${path}: ${why}`);
  tell([
    // Locks and notes mean nothing to a user, and count as no bytes.
    ...removed.filter(({ bytes }) => bytes > 0)
      .map(({ path, bytes }) => `removed ${path} (${toMiB(bytes)})`),
    `${toMiB(bytes)} freed`,
    ...toSection("Kept:", toNames(toLines(kept))),
    ...toSection(FOREIGN, toNames(foreign)),
    ...toSection("Could not be removed:", toNames(toLines(failed))),
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
