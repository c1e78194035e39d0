import { findPyodide } from "../launch/pyodide.ts";
import { RUNNER } from "../sandbox/runner/sources.ts";
import type { PackageSettings, Settings } from "../settings.ts";
import { VERSION } from "../version.ts";
import { withoutCredentials } from "./credentials.ts";
import { environmentFolder, sha256 } from "./environment.ts";

/** Where the environment of these settings is, or would be. */
export function folderFor(
  settings: PackageSettings & Pick<Settings, "cacheDir">,
): string {
  const { dependencies, locked } = settings;
  if (dependencies.length === 0 && !locked) return baseFolderFor(settings);
  return folderOf(settings, [
    [...dependencies].sort().map(withStamp),
    [...settings.constraints].sort(),
    locked?.text ?? null,
    settings.findLinks,
    settings.dist ?? null,
    [settings.indexUrl ?? "", ...settings.extraIndexUrls]
      .map((url) => withoutCredentials(url).url),
  ]);
}

type Place = Pick<Settings, "cacheDir" | "pyodide">;

/** Where the environment without packages is, or would be. */
export function baseFolderFor(place: Place): string {
  return folderOf(place, []);
}

function folderOf({ cacheDir, pyodide }: Place, packages: unknown[]): string {
  const { version, build } = findPyodide(pyodide);
  const identity = [VERSION, version, build, RUNNER, packages];
  return environmentFolder(
    cacheDir,
    sha256(JSON.stringify(identity)).slice(0, 24),
  );
}

/** A wheel of this machine may be built anew under the same name. */
function withStamp(requirement: string): string {
  const [url] = /\bfile:\S+?\.whl/.exec(requirement) ?? [];
  if (!url) return requirement;
  try {
    const { size, mtime } = Deno.statSync(new URL(url));
    return `${requirement} ${size} ${mtime?.getTime()}`;
  } catch {
    // The installer says what is wrong with it.
    return requirement;
  }
}
