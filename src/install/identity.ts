import { PYODIDE_VERSION } from "../launch/places.ts";
import { RUNNER } from "../sandbox/runner/sources.ts";
import type { PackageSettings, Settings } from "../settings.ts";
import { VERSION } from "../version.ts";
import { withoutCredentials } from "./credentials.ts";
import { environmentFolder, sha256 } from "./environment.ts";

/** Where the environment of these settings is, or would be. */
export function folderFor(
  settings: PackageSettings & Pick<Settings, "cacheDir">,
): string {
  const { dependencies, locked, cacheDir } = settings;
  if (dependencies.length === 0 && !locked) return baseFolderIn(cacheDir);
  return folderOf(cacheDir, [
    [...dependencies].sort().map(withStamp),
    [...settings.constraints].sort(),
    locked?.text ?? null,
    settings.findLinks,
    settings.dist ?? null,
    [settings.indexUrl ?? "", ...settings.extraIndexUrls]
      .map((url) => withoutCredentials(url).url),
  ]);
}

/** Where the environment without packages is, or would be. */
export function baseFolderIn(cacheDir: string): string {
  return folderOf(cacheDir, []);
}

function folderOf(cacheDir: string, packages: unknown[]): string {
  const identity = [VERSION, PYODIDE_VERSION, RUNNER, packages];
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
