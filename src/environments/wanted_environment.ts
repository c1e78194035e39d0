import { basename, dirname, join } from "node:path";
import {
  type Environment,
  environmentFolder,
  ID,
  maybeOpenEnvironment,
} from "./environment.ts";
import { maybe } from "../errors.ts";
import { writeWhole } from "../disk.ts";

/** The cache that takes new entries, and another cache that is only read. */
export interface Caches {
  cacheDir: string;
  otherCacheDir?: string | undefined;
}

/** An environment that a start asks for, and where to look for it. */
export interface WantedEnvironment extends Caches {
  /** Id of the environment without packages. */
  baseId: string;
  /** Id of the request for packages; absent if it is for none. */
  request?: string;
}

/** The caches in the order in which they are read. */
export function cachesOf({ cacheDir, otherCacheDir }: Caches): string[] {
  return otherCacheDir === undefined ? [cacheDir] : [cacheDir, otherCacheDir];
}

/** The same caches, without the other one if it is absent or closed. */
export function readable({ cacheDir, otherCacheDir }: Caches): Caches {
  const isReadable = otherCacheDir !== undefined &&
    maybe(() => Deno.readDirSync(otherCacheDir)) !== undefined;
  return isReadable ? { cacheDir, otherCacheDir } : { cacheDir };
}

/** The folders that an environment has, or would have. */
export function foldersOf(caches: Caches, id: string): string[] {
  return cachesOf(caches).map((cacheDir) => environmentFolder(cacheDir, id));
}

/** The folders in which a wanted environment may be. */
export function wantedFolders(wanted: WantedEnvironment): string[] {
  const { baseId, request } = wanted;
  const ids = request === undefined
    ? [baseId]
    : cachesOf(wanted).flatMap((dir) => maybeResolved(dir, request) ?? []);
  return ids.flatMap((id) => foldersOf(wanted, id));
}

/** Opens the first environment that is whole. */
export function maybeOpenOneOf(folders: string[]): Environment | undefined {
  for (const folder of folders) {
    const environment = maybeOpenEnvironment(folder);
    if (environment) return environment;
  }
}

/** Whether a folder is that of an environment, directly in one of these caches. */
export function isEnvironmentOf(caches: Caches, folder: string): boolean {
  const id = basename(folder);
  return ID.test(id) && foldersOf(caches, id).includes(folder);
}

function requestsFolder(cacheDir: string): string {
  return join(cacheDir, "requests");
}

/** The id that a request was resolved to; undefined if the cache does not know. */
export function maybeResolved(
  cacheDir: string,
  request: string,
): string | undefined {
  const path = join(requestsFolder(cacheDir), request);
  const id = maybe(() => Deno.readTextFileSync(path)) ?? "";
  return ID.test(id) ? id : undefined;
}

/** Notes the id that a request was resolved to: later starts need not resolve it. */
export async function noteResolved(
  cacheDir: string,
  request: string,
  id: string,
): Promise<void> {
  const path = join(requestsFolder(cacheDir), request);
  await Deno.mkdir(dirname(path), { recursive: true });
  await writeWhole(path, id);
}
