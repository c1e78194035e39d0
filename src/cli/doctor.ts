import { EXIT } from "../errors.ts";
import { damagedFiles, maybeOpenEnvironment } from "../install/environment.ts";
import { folderFor, probeSources } from "../install/install.ts";
import { PYODIDE_VERSION } from "../launch/places.ts";
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
 * @returns 1 if the environment of these settings is damaged.
 */
export async function doctor(settings: Settings): Promise<number> {
  section("Versions", [
    `mcp-run-python ${VERSION}, Pyodide ${PYODIDE_VERSION}`,
    `Deno ${Deno.version.deno}, V8 ${Deno.version.v8}, ${Deno.build.target}`,
  ]);
  const { bytes, environments } = await measureCache(settings.cacheDir);
  section("Cache", [
    settings.cacheDir,
    `${(bytes / 1024 / 1024).toFixed(1)} MiB in ${environments} environments`,
  ]);
  const { lines, damaged } = await examine(settings);
  section("Environment of these options", lines);
  section(
    "Sources",
    settings.offline ? ["not asked: --offline"] : await probeSources(settings),
  );
  section("What each process may do", permissionLines());
  return damaged ? EXIT.failure : EXIT.ok;
}

function section(title: string, lines: string[]): void {
  print(`${title}\n${lines.map((line) => `  ${line}\n`).join("")}\n`);
}

async function examine(
  settings: Settings,
): Promise<{ lines: string[]; damaged: boolean }> {
  const folder = folderFor(settings);
  const environment = maybeOpenEnvironment(folder);
  if (!environment) {
    const lines = [
      "not complete: the next start installs it (mcp-run-python install)",
      folder,
    ];
    return { lines, damaged: false };
  }
  const damaged = await damagedFiles(environment);
  const packages = environment.packages.map(({ name, version }) =>
    `${name} ${version}`
  );
  const lines = [
    damaged.length === 0
      ? "complete, every file as installed"
      : `damaged: ${
        damaged.join(", ")
      }; remove the folder, and the next start installs it anew`,
    `Python ${environment.python}, ${packages.join(", ") || "no packages"}`,
    folder,
  ];
  return { lines, damaged: damaged.length > 0 };
}

async function measureCache(
  cacheDir: string,
): Promise<{ bytes: number; environments: number }> {
  let bytes = 0;
  let environments = 0;
  for await (const { path, entry } of walk(cacheDir)) {
    if (entry.isFile) bytes += (await Deno.stat(path)).size;
    if (entry.name === "complete") environments++;
  }
  return { bytes, environments };
}

async function* walk(
  folder: string,
): AsyncGenerator<{ path: string; entry: Deno.DirEntry }> {
  try {
    for await (const entry of Deno.readDir(folder)) {
      const path = `${folder}/${entry.name}`;
      yield { path, entry };
      if (entry.isDirectory) yield* walk(path);
    }
  } catch (error) {
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
