import { findPyodide, type Pyodide } from "../find_pyodide.ts";
import { maybe } from "../maybe.ts";
import { SNAPSHOT_FORMAT } from "../../engines/pyodide/worker/snapshot.ts";
import { RUNNER } from "../../engines/pyodide/runner/modules.ts";
import type { PackageSettings, Settings } from "../../settings.ts";
import { VERSION } from "../../version.ts";
import {
  maskRequirement,
  withoutCredentials,
} from "../../requirements/credentials.ts";
import { environmentFolder, sha256 } from "../../environments/environment.ts";

/** The settings that an environment depends on. */
export type Wanted = PackageSettings & Pick<Settings, "cacheDir">;

/** The folder that the environment of these settings has, or would have. */
export function folderFor(
  settings: Wanted,
  pyodide: Pyodide = findPyodide(settings.pyodide),
): string {
  const { dependencies, locked, cacheDir } = settings;
  if (dependencies.length === 0 && !locked) return folderOf(cacheDir, pyodide);
  return folderOf(cacheDir, pyodide, [
    dependencies.map((one) => withStamp(maskRequirement(one).text)).sort(),
    [...settings.constraints].sort(),
    locked?.text ?? null,
    settings.findLinks,
    withoutCredentials(settings.dist ?? "").url,
    [settings.indexUrl ?? "", ...settings.extraIndexUrls]
      .map((url) => withoutCredentials(url).url),
  ]);
}

/** The folder that the environment without packages has, or would have. */
export function baseFolderFor(
  { cacheDir, pyodide }: Pick<Settings, "cacheDir" | "pyodide">,
): string {
  return folderOf(cacheDir, findPyodide(pyodide));
}

function folderOf(
  cacheDir: string,
  { version, build }: Pyodide,
  packages: unknown[] = [],
): string {
  const identity = JSON.stringify([
    ...[VERSION, version, build, RUNNER, packages],
    // The memory of a started Python depends on the abilities of V8.
    ...[SNAPSHOT_FORMAT, Deno.version.v8],
  ]);
  return environmentFolder(cacheDir, sha256(identity).slice(0, 24));
}

/** A requirement with the time of its file: a local wheel may be built anew under its name. */
function withStamp(requirement: string): string {
  const [url] = /\bfile:\S+?\.whl/.exec(requirement) ?? [];
  if (!url) return requirement;
  // The installer explains the trouble with a file that cannot be read.
  const stat = maybe(() => Deno.statSync(new URL(url)));
  return stat
    ? `${requirement} ${stat.size} ${stat.mtime?.getTime()}`
    : requirement;
}
