import { messageOf } from "../../src/errors.ts";
import { findPython } from "../bench/figures/plain_python.ts";
import { makeOnce } from "./make_once.ts";

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
  try {
    const folder = await makeOnce(
      `python-${requirement}`,
      (draft) => install(python, requirement, draft),
    );
    return { python, folder };
  } catch (error) {
    return { reason: messageOf(error) };
  }
}

async function install(
  python: string,
  requirement: string,
  folder: string,
): Promise<void> {
  const { success, stderr } = await new Deno.Command(python, {
    args: [
      ...["-m", "pip", "install", "--quiet", "--no-input"],
      ...["--disable-pip-version-check", "--root-user-action", "ignore"],
      ...["--only-binary", ":all:", "--target", folder, requirement],
    ],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr).trim());
}
