import { join } from "node:path";
import { tempFolder } from "../../support/folder.ts";
import { findPython } from "../figures/plain_python.ts";
import { PINS } from "./pins.ts";
import { runOnce } from "./run_once.ts";

/** A CPython, and a folder with a peer's packages. */
export interface Installed {
  python: string;
  folder: string;
}

/**
 * Installs a peer from PyPI into a folder that is gone with the stack.
 *
 * @throws {Error} With pip's reason, if it cannot be installed.
 */
export async function install(
  peer: keyof typeof PINS,
  stack: AsyncDisposableStack,
): Promise<Installed> {
  const python = await requirePython();
  const { path } = stack.use(await tempFolder());
  const pins = join(path, "requirements.txt");
  await Deno.writeTextFile(pins, PINS[peer]);
  const folder = join(path, "packages");
  await runOnce(python, [
    ...["-m", "pip", "install", "--quiet", "--no-input"],
    ...["--disable-pip-version-check", "--root-user-action", "ignore"],
    ...["--require-hashes", "--no-deps", "--only-binary", ":all:"],
    ...["--target", folder, "--requirement", pins],
  ]);
  return { python, folder };
}

/** @throws {Error} If this machine has no CPython. */
export async function requirePython(): Promise<string> {
  const python = await findPython();
  if (python === undefined) throw new Error("there is no python3");
  return python;
}
