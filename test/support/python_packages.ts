import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findPython } from "../bench/figures/plain_python.ts";

const CACHE = fileURLToPath(import.meta.resolve("../../.cache"));

/** A CPython, and the folder of packages to put on its path. */
export interface PythonPackages {
  python: string;
  folder: string;
}

/**
 * Gives a CPython with a package from PyPI; installs it once.
 *
 * @param requirement With an exact version.
 * @returns The reason, if it cannot be had.
 */
export async function getPythonPackages(
  requirement: string,
): Promise<PythonPackages | { reason: string }> {
  const python = await findPython();
  if (python === undefined) return { reason: "there is no python3" };
  const folder = join(CACHE, `python-${requirement}`);
  try {
    await Deno.stat(folder);
    return { python, folder };
  } catch {
    await Deno.mkdir(CACHE, { recursive: true });
  }
  const draft = await Deno.makeTempDir({ dir: dirname(folder) });
  const { success, stderr } = await new Deno.Command(python, {
    args: [
      ...["-m", "pip", "install", "--quiet", "--no-input"],
      ...["--disable-pip-version-check", "--root-user-action", "ignore"],
      ...["--only-binary", ":all:", "--target", draft, requirement],
    ],
  }).output();
  if (success) {
    await Deno.rename(draft, folder);
    return { python, folder };
  }
  await Deno.remove(draft, { recursive: true });
  return { reason: new TextDecoder().decode(stderr).trim() };
}
