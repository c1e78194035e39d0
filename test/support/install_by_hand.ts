import { join } from "node:path";
import {
  maybeOpenEnvironment,
  publishEnvironment,
} from "../../src/install/environment.ts";
import { baseFolderFor, folderFor } from "../../src/install/identity.ts";
import { concat } from "../../src/protocol/lines.ts";
import { ENVIRONMENT_FILES } from "../../src/sandbox/engines/pyodide/files.ts";
import { unzip } from "./unzip.ts";

interface LockedPackage {
  "file_name": string;
  "install_dir": "site" | "dynlib";
  depends: string[];
}

/**
 * Publishes the environment of some packages of a Pyodide distribution, without
 * the installer: its files are put where the distribution says.
 *
 * Python itself must be in the cache already.
 */
export async function installByHand(
  pyodide: string,
  cacheDir: string,
  names: string[],
): Promise<void> {
  const base = maybeOpenEnvironment(
    baseFolderFor({ cacheDir, pyodide }),
  );
  if (!base) throw new Error("Python is not in the cache");
  const lock = JSON.parse(
    await Deno.readTextFile(join(pyodide, "pyodide-lock.json")),
  );
  const site = `lib/python${base.python.split(".", 2).join(".")}/site-packages`;
  const places = { site, dynlib: "usr/lib" };
  const installed: [path: string, contents: Uint8Array][] = [];
  for (const one of closure(lock.packages, names)) {
    const archive = await Deno.readFile(join(pyodide, one.file_name));
    for (const [path, contents] of unzip(archive)) {
      installed.push([`${places[one.install_dir]}/${path}`, contents]);
    }
  }
  const index = installed.map(([path, contents]) => [path, contents.length]);
  const read = (name: string) => Deno.readFile(join(base.folder, name));
  const { folder: _folder, files: _files, ...manifest } = base;
  await publishEnvironment(
    folderFor({
      cacheDir,
      dependencies: names,
      pyodide,
      constraints: [],
      findLinks: [],
      extraIndexUrls: [],
    }),
    manifest,
    {
      [ENVIRONMENT_FILES.snapshot]: await read(ENVIRONMENT_FILES.snapshot),
      [ENVIRONMENT_FILES.lock]: await read(ENVIRONMENT_FILES.lock),
      [ENVIRONMENT_FILES.packageIndex]: new TextEncoder().encode(
        JSON.stringify(index),
      ),
      [ENVIRONMENT_FILES.packages]: concat(
        installed.map(([, contents]) => contents),
      ),
    },
  );
}

/** The packages of these names, and all that they depend on. */
function closure(
  packages: Record<string, LockedPackage>,
  names: string[],
): Set<LockedPackage> {
  const found = new Set<LockedPackage>();
  const wanted = [...names];
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    const one = packages[name];
    if (!one) throw new Error(`The distribution has no ${name}`);
    if (!found.has(one)) wanted.push(...one.depends);
    found.add(one);
  }
  return found;
}
