import { join } from "node:path";
import { maybeInstalled } from "../../../src/launcher/installing/install.ts";
import { DEFAULTS } from "../../../src/settings.ts";
import { CACHE, command } from "../../support/command.ts";

/** An environment in the cache, or why there is none. */
export type Installed =
  | {
    /** Options of a server with it. */
    args: string[];
    /** Paths of the wheels that it was made of. */
    wheels: string[];
  }
  | { reason: string };

/**
 * Installs a package.
 *
 * @param pyodide Folder of a Pyodide that has the package.
 */
export async function install(
  dependency: string,
  pyodide?: string,
): Promise<Installed> {
  const args = [
    ...["--deps", dependency],
    ...pyodide === undefined ? [] : ["--pyodide", pyodide, "--offline"],
  ];
  const { code, stderr } = await command([...args, "install"]);
  if (code !== 0) return { reason: stderr.trim() };
  const environment = await maybeInstalled({
    ...DEFAULTS,
    dependencies: [dependency],
    cacheDir: CACHE,
    ...pyodide === undefined ? {} : { runtimeFolder: pyodide },
  });
  if (!environment) return { reason: "its environment is not in the cache" };
  const wheels = environment.packages.map(({ sha256, file }) =>
    join(CACHE, "wheels", sha256, file)
  );
  return { args, wheels };
}
