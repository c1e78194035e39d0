import { readLines } from "../protocol/lines.ts";
import { reasonOf, UserError } from "../errors.ts";
import { placesFor } from "../launch/places.ts";
import { findPyodide } from "../launch/pyodide.ts";
import { ensureProgram } from "../launch/program.ts";
import { spawn } from "../launch/spawn.ts";
import { RUNNER } from "../sandbox/runner/sources.ts";
import type { Settings } from "../settings.ts";
import { VERSION } from "../version.ts";
import {
  type Environment,
  environmentFolder,
  maybeOpenEnvironment,
  sha256,
} from "./environment.ts";
import type { FromInstaller, InstallOrder } from "./messages.ts";

const LONGEST_LINE = 1 << 20;

/** What an environment depends on. */
export type Wanted = Pick<
  Settings,
  "cacheDir" | "dependencies" | "indexUrl" | "pyodide"
>;

/**
 * Phase 1: gives the environment of these settings, from the cache or newly
 * installed.
 *
 * @param progress Told what is going on, a line each.
 * @throws {UserError} If it cannot be had.
 */
export async function ensureEnvironment(
  settings: Wanted & Pick<Settings, "offline" | "verbose">,
  progress: (text: string) => void,
): Promise<Environment> {
  await ensureProgram(settings.offline, progress);
  const known = maybeInstalled(settings);
  if (known) return known;
  if (settings.offline && settings.dependencies.length > 0) {
    throw new UserError(
      `Cannot install ${
        settings.dependencies.join(", ")
      } offline: the cache in ${settings.cacheDir} has no environment of exactly these. Run \`mcp-run-python install\` with the same options once without --offline.`,
    );
  }
  await runInstaller("install", settings, (message) => {
    if (message.type === "progress") progress(message.text);
  });
  const installed = maybeInstalled(settings);
  if (installed) return installed;
  throw new UserError(
    `Cannot find the environment that was installed as ${folderFor(settings)}`,
  );
}

/** What every environment of a Pyodide starts from. */
function withoutPackages({ cacheDir, pyodide }: Wanted): Wanted {
  return { cacheDir, dependencies: [], ...(pyodide ? { pyodide } : {}) };
}

/** Where the environment of these settings is, or would be. */
export function folderFor(
  { cacheDir, dependencies, indexUrl, pyodide }: Wanted,
): string {
  const { version, build } = findPyodide(pyodide);
  const identity = [
    VERSION,
    version,
    build,
    RUNNER,
    [...dependencies].sort(),
    indexUrl ?? null,
  ];
  return environmentFolder(
    cacheDir,
    sha256(JSON.stringify(identity)).slice(0, 24),
  );
}

/**
 * Opens the environment of these settings, if it is in the cache and whole.
 *
 * @throws {UserError} If the cache cannot be read.
 */
export function maybeInstalled(settings: Wanted): Environment | undefined {
  const folder = folderFor(settings);
  try {
    return maybeOpenEnvironment(folder);
  } catch (error) {
    throw new UserError(
      `Cannot read the cache in ${settings.cacheDir}: ${
        reasonOf(error)
      }. Mend its permissions, or choose another folder with --cache-dir.`,
    );
  }
}

/**
 * Asks each source of packages whether it answers.
 *
 * @returns A sentence each.
 */
export async function probeSources(
  settings: Wanted & Pick<Settings, "verbose">,
): Promise<string[]> {
  const answers: string[] = [];
  await runInstaller("probe", settings, (message) => {
    if (message.type === "source") answers.push(message.text);
  });
  return answers;
}

async function runInstaller(
  task: InstallOrder["task"],
  settings: Wanted & Pick<Settings, "verbose">,
  onMessage: (message: FromInstaller) => void,
): Promise<void> {
  const folder = folderFor(settings);
  const pyodide = findPyodide(settings.pyodide);
  const order: InstallOrder = {
    task,
    cacheDir: settings.cacheDir,
    folder,
    baseFolder: folderFor(withoutPackages(settings)),
    requirements: settings.dependencies,
    ...(settings.indexUrl ? { indexUrl: settings.indexUrl } : {}),
    pyodide,
    pyodideVersion: pyodide.version,
  };
  const process = spawn("installer", {
    places: placesFor(settings.cacheDir, folder, pyodide.folder),
    argument: order,
    logs: settings.verbose,
  });
  const { parseFromInstaller } = await import("./parse.ts");
  const decoder = new TextDecoder();
  for await (const line of readLines(process.stdout, LONGEST_LINE)) {
    const message = parseFromInstaller(decoder.decode(line));
    if (message.type === "done") return;
    if (message.type === "error") {
      throw new UserError(message.message, message.exitCode);
    }
    onMessage(message);
  }
  const { code, signal } = await process.status;
  throw new UserError(
    `Cannot install: the installer ended (${
      signal ?? `code ${code}`
    }). Run again with --verbose to see why.`,
  );
}
