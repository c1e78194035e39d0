import { join } from "node:path";
import { run } from "../../src/launcher/bundling/run.ts";

/** An environment of a CPython. */
export interface Venv {
  /** Folder of its programs. */
  bin: string;
  /** Runs its Python with these arguments; throws with what it says if it fails. */
  python(args: string[]): Promise<string>;
}

/**
 * Makes an environment of the system's CPython, with packages of PyPI.
 *
 * @param folder Where it is to be.
 * @param requirements With exact versions, or paths of wheels.
 */
export async function makeVenv(
  folder: string,
  requirements: string[],
): Promise<Venv> {
  await run("python3", ["-m", "venv", folder]);
  const bin = join(folder, Deno.build.os === "windows" ? "Scripts" : "bin");
  const python = (args: string[]) => run(join(bin, "python"), args);
  await python([
    ...["-m", "pip", "install", "--quiet", "--disable-pip-version-check"],
    ...["--no-input", ...requirements],
  ]);
  return { bin, python };
}
