import { join } from "node:path";
import { namesIn, tempFolder } from "../../test/support/folder.ts";
import { ROOT } from "../../src/launcher/bundling/write_program.ts";
import { runUv } from "./uv.ts";

/**
 * Makes the source distribution of the package for Python, and the wheel of it;
 * `python/hatch_build.py` puts the program in.
 *
 * @param folder Gets both.
 * @returns The names of the files.
 */
export async function buildPython(folder: string): Promise<string[]> {
  await using made = await tempFolder();
  const build = ["build", "--no-create-gitignore", "--out-dir", made.path];
  await runUv([...build, join(ROOT, "python")]);
  const names = await namesIn(made.path);
  for (const name of names) {
    await Deno.copyFile(join(made.path, name), join(folder, name));
  }
  return names;
}
