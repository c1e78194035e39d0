import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { NPM_PYODIDE } from "./find_pyodide.ts";

/** Deno's folder of npm packages: a folder per package, in it a folder per version. */
export const REGISTRY: string = dirname(dirname(NPM_PYODIDE.folder));

export const DENO_DIR: string = dirname(dirname(REGISTRY));

/**
 * The files that Deno, itself among them, reads beside the sources to start a process
 * of this program with `--cached-only`.
 */
export function programFiles(): string[] {
  const [config, lockFile] = [beside("deno.json"), beside("deno.lock")];
  const { npm } = JSON.parse(Deno.readTextFileSync(lockFile));
  return [
    ...[Deno.execPath(), config, lockFile],
    ...Object.keys(npm).map(toFolder),
  ];
}

/**
 * The folder of a package in the lock file. Deno looks for all of these packages as
 * soon as a module imports one.
 */
function toFolder(key: string): string {
  // The packages that it is used with follow an underscore.
  const [, name = "", version = ""] = /^(.[^@]*)@([^_]*)/.exec(key) ?? [];
  return join(REGISTRY, name, version);
}

function beside(name: string): string {
  return fileURLToPath(import.meta.resolve(`../../${name}`));
}
