import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { REGISTRY } from "./program.ts";

/** Deno's folder of npm packages. */
export const PACKAGES: string = fileURLToPath(REGISTRY);

export const DENO_DIR: string = dirname(dirname(PACKAGES));

/**
 * The files that Deno, itself among them, reads beside the sources to start a process
 * of this program with `--cached-only`.
 */
export function programFiles(): string[] {
  const lockFile = beside("deno.lock");
  return [
    ...[Deno.execPath(), beside("deno.json"), lockFile],
    ...packageFolders(lockFile).map((folder) => join(PACKAGES, folder)),
  ];
}

/** The folders of the npm packages in a lock file, below Deno's folder of them. */
export function packageFolders(lockFile: string): string[] {
  const { npm } = JSON.parse(Deno.readTextFileSync(lockFile));
  return Object.keys(npm).map(toFolder);
}

/**
 * The folder of a package in the lock file. Deno looks for all of these packages as
 * soon as a module imports one.
 */
function toFolder(key: string): string {
  // The packages that it is used with follow an underscore.
  const [, name = "", version = ""] = /^(.[^@]*)@([^_]*)/.exec(key) ?? [];
  return join(name, version);
}

function beside(name: string): string {
  return fileURLToPath(import.meta.resolve(`../../${name}`));
}
