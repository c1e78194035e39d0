import { join } from "node:path";
import { EXIT, reasonOf, UserError } from "../errors.ts";
import { damagedFiles } from "../install/environment.ts";
import { folderFor } from "../install/identity.ts";
import { maybeInstalled, probeSources } from "../install/install.ts";
import { findPyodide } from "../launch/pyodide.ts";
import {
  PERMISSION_KINDS,
  PERMISSIONS,
  type Permissions,
} from "../grants/permissions.ts";
import { print } from "../log.ts";
import type { Settings } from "../settings.ts";
import { VERSION } from "../version.ts";

/**
 * Says what this machine has, and what is wrong with it.
 *
 * @returns 1 if the environment of these settings is damaged, or the cache
 * cannot be used.
 */
export async function doctor(settings: Settings): Promise<number> {
  const healthy = [
    await section("Versions", () => [
      `mcp-run-python ${VERSION}, Pyodide ${
        findPyodide(settings.pyodide).version
      }`,
      `Deno ${Deno.version.deno}, V8 ${Deno.version.v8}, ${Deno.build.target}`,
    ]),
    await section("Cache", () => measureCache(settings.cacheDir)),
    await section("Environment of these options", () => examine(settings)),
    await section(
      "Sources",
      () =>
        settings.offline ? ["not asked: --offline"] : probeSources(settings),
    ),
    await section("What each process may do", permissionLines),
  ];
  return healthy.every(Boolean) ? EXIT.ok : EXIT.failure;
}

/** Prints what is found; what is wrong is a finding, too. */
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
      folderFor(settings),
    ];
  }
  const damaged = await damagedFiles(environment);
  if (damaged.length > 0) {
    throw new UserError(
      `damaged: ${
        damaged.join(", ")
      }; remove ${environment.folder}, and the next start installs it anew`,
    );
  }
  const packages = environment.packages.map(({ name, version }) =>
    `${name} ${version}`
  );
  return [
    "complete, every file as installed",
    `Python ${environment.python}, ${packages.join(", ") || "no packages"}`,
    environment.folder,
  ];
}

async function measureCache(cacheDir: string): Promise<string[]> {
  let total = 0;
  let environments = 0;
  try {
    for await (const { name, size } of filesBelow(cacheDir)) {
      total += size;
      if (name === "complete") environments++;
    }
  } catch (error) {
    throw new UserError(`${cacheDir} cannot be read: ${reasonOf(error)}`);
  }
  const size = (total / 1024 / 1024).toFixed(1);
  const noun = environments === 1 ? "environment" : "environments";
  return [cacheDir, `${size} MiB in ${environments} ${noun}`];
}

async function* filesBelow(
  folder: string,
): AsyncGenerator<{ name: string; size: number }> {
  try {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      const path = join(folder, name);
      if (isDirectory) yield* filesBelow(path);
      else yield { name, size: (await Deno.lstat(path)).size };
    }
  } catch (error) {
    // Not there yet, or just now removed by another start.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function permissionLines(): string[] {
  const header = ["process", ...PERMISSION_KINDS];
  const rows = Object.entries(PERMISSIONS).map(([name, may]) => [
    name,
    ...PERMISSION_KINDS.map((kind) => describe(may, kind)),
  ]);
  const widths = header.map((_, column) =>
    Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0))
  );
  return [header, ...rows].map((row) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")
      .trimEnd()
  );
}

function describe(
  permissions: Permissions,
  kind: keyof Permissions,
): string {
  return permissions[kind]?.join(" ") ?? "-";
}
