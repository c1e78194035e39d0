import { dirname, join, relative } from "node:path";

/** Copies files below one folder to the same places below another. */
export async function copyFiles(
  paths: Iterable<string>,
  { from, to }: { from: string; to: string },
): Promise<void> {
  for (const path of paths) {
    const copy = join(to, relative(from, path));
    await Deno.mkdir(dirname(copy), { recursive: true });
    await Deno.copyFile(path, copy);
  }
}
