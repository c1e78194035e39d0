import { Buffer } from "node:buffer";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Packaged } from "./packaged.ts";

/**
 * Unpacks a program, whole or not at all, unless it is there.
 *
 * @param parent Folder of all programs.
 * @returns The folder of this one.
 */
export async function unpack(
  { id, files }: Packaged,
  parent: string,
): Promise<string> {
  const folder = join(parent, id);
  if (existsSync(folder)) return folder;
  await mkdir(parent, { recursive: true });
  const draft = await mkdtemp(join(parent, ".draft-"));
  try {
    for (const [path, text] of Object.entries(await files())) {
      const to = join(draft, path);
      await mkdir(dirname(to), { recursive: true });
      const isText = !path.endsWith(".whl");
      await writeFile(to, isText ? text : Buffer.from(text, "base64"));
    }
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another start may have unpacked it meanwhile.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
