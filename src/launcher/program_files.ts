import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { NPM_PYODIDE } from "./find_pyodide.ts";

/** Where Deno keeps packages of npm: a folder for each, in it one a version. */
const REGISTRY = dirname(dirname(NPM_PYODIDE.folder));

/** Where Deno keeps all that it has downloaded or made. */
export const DENO_DIR: string = dirname(dirname(REGISTRY));

/**
 * What Deno reads, beside the sources, to start a process of this program with
 * `--cached-only`; itself included.
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
 * Where a package of the lock file is. Deno looks for all of them as soon as one
 * is imported.
 */
function toFolder(key: string): string {
  // Behind an underscore stands with which others it is used.
  const [, name = "", version = ""] = /^(.[^@]*)@([^_]*)/.exec(key) ?? [];
  return join(REGISTRY, name, version);
}

function beside(name: string): string {
  return fileURLToPath(import.meta.resolve(`../../${name}`));
}
