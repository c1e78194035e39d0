import { EXIT, reasonOf, UserError } from "../../errors.ts";
import { type CacheContents, listCache } from "../../environments/cache.ts";
import { damagedFiles } from "../../environments/environment.ts";
import {
  maybeInstalled,
  probeSources,
} from "../../launcher/installing/install.ts";
import { mountPlaces } from "../../grants/mounts.ts";
import { tryBwrap } from "../../launcher/isolation.ts";
import { isNowhere } from "../../launcher/flags.ts";
import { findPyodide } from "../../launcher/find_pyodide.ts";
import {
  PERMISSION_KINDS,
  PERMISSIONS,
  type Scope,
} from "../../grants/permissions.ts";
import { print } from "../../log.ts";
import type { Preloaded } from "../../environments/preloader_messages.ts";
import { readable } from "../../environments/wanted_environment.ts";
import type { Settings } from "../../settings.ts";
import { VERSION } from "../../version.ts";
import { toCount, toMiB } from "../sizes.ts";
import { toTable } from "../table.ts";

/**
 * Shows this machine's versions, cache, sources and permissions, and their
 * faults; 1 if the environment is damaged, or the cache cannot be used.
 */
export async function doctor(settings: Settings): Promise<number> {
  const healthy = [
    await section("Versions", () => [
      `mcp-run-python ${VERSION}, Pyodide ${
        findPyodide(settings.pyodide).version
      }`,
      `Deno ${Deno.version.deno}, V8 ${Deno.version.v8}, ${Deno.build.target}`,
    ]),
    await section("Cache", () => measureCaches(settings)),
    await section("Environment of these options", () => examine(settings)),
    await section(
      "Sources",
      () =>
        settings.offline ? ["not asked: --offline"] : probeSources(settings),
    ),
    await section("Second wall", () => examineWall(settings)),
    await section("What each process may do", () => permissionLines(settings)),
    ...(settings.mounts.length > 0
      ? [await section("Mounts", () => mountLines(settings))]
      : []),
  ];
  return healthy.every(Boolean) ? EXIT.ok : EXIT.failure;
}

/** Prints findings under a title; an error of the user's is a finding, too. */
async function section(
  title: string,
  find: () => string[] | Promise<string[]>,
): Promise<boolean> {
  let lines: string[];
  let healthy = true;
  try {
    lines = await find();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    lines = [error.message];
    healthy = false;
  }
  print(`${title}\n${lines.map((line) => `  ${line}\n`).join("")}\n`);
  return healthy;
}

async function examine(settings: Settings): Promise<string[]> {
  const environment = maybeInstalled(settings);
  if (!environment) {
    return [
      "not complete: the next start installs it (mcp-run-python install)",
    ];
  }
  const damaged = await damagedFiles(environment);
  if (damaged.length > 0) {
    throw new UserError(
      `damaged: ${damaged.join(", ")} in ${environment.folder}; ` +
        "mcp-run-python install with the same options installs it anew",
    );
  }
  const packages = environment.packages.map(({ name, version }) =>
    `${name} ${version}`
  );
  return [
    "complete, every file as installed",
    `Python ${environment.python}, ${packages.join(", ") || "no packages"}`,
    ...describePreloaded(environment.preloaded),
    environment.folder,
  ];
}

function describePreloaded(
  { modules, whilePreparing, broken }: Preloaded,
): string[] {
  const inSnapshot = `imported in the snapshot: ${modules.join(", ")}`;
  return [
    ...(modules.length > 0 ? [inSnapshot] : []),
    ...whilePreparing.map(({ module, reason }) =>
      `imported while an interpreter is prepared: ${module}, which no snapshot can hold: ${reason}`
    ),
    ...broken.map(({ module, reason }) =>
      `cannot be imported: ${module}: ${reason}`
    ),
  ];
}

async function measureCaches(settings: Settings): Promise<string[]> {
  const { cacheDir, otherCacheDir } = readable(settings);
  const own = await measureCache(cacheDir);
  if (otherCacheDir === undefined) return own;
  const other = await measureCache(otherCacheDir);
  return [...own, "takes new packages", ...other, "is only read"];
}

async function measureCache(cacheDir: string): Promise<string[]> {
  let contents: CacheContents;
  try {
    contents = await listCache(cacheDir);
  } catch (error) {
    throw new UserError(`${cacheDir} cannot be read: ${reasonOf(error)}`);
  }
  const { environments, bytes } = contents;
  const damaged = environments.filter(({ contents }) => !contents);
  return [
    cacheDir,
    `${toMiB(bytes)} in ${toCount(environments.length, "environment")}`,
    ...damaged.map(({ path }) =>
      `damaged: ${path}; the next start that needs it installs it anew, mcp-run-python cache prune removes it`
    ),
  ];
}

async function examineWall({ isolation }: Settings): Promise<string[]> {
  const found = await tryBwrap();
  if ("wall" in found) {
    const use = isolation === "none" ? "could be used" : "is used";
    return [`${found.program} works and ${use}: --isolation ${isolation}`];
  }
  if (isolation === "bwrap") {
    throw new UserError(`${found.reason}. ${found.remedy}`);
  }
  return [`none, ${found.reason}`];
}

function mountLines({ mounts }: Settings): string[] {
  return toTable(
    mounts.map(({ host, guest, isWritable }) => [
      host,
      guest,
      isWritable ? "writable" : "read-only",
    ]),
  );
}

function permissionLines({ allowNet, mounts }: Settings): string[] {
  const places = { ...mountPlaces(mounts), hosts: allowNet };
  const describe = (scopes: readonly Scope[] = []) =>
    scopes.filter((scope) => !isNowhere(scope, places))
      .flatMap((scope) => scope === "hosts" ? allowNet : scope)
      .join(" ") || "-";
  const header = ["process", ...PERMISSION_KINDS];
  const rows = Object.entries(PERMISSIONS).map(([name, may]) => [
    name,
    ...PERMISSION_KINDS.map((kind) => describe(may[kind])),
  ]);
  return toTable([header, ...rows]);
}
