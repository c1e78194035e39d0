import { join } from "node:path";
import { reasonOf } from "../../errors.ts";
import type { Image } from "../../protocol/run_result.ts";
import { toBytes, toName } from "./run_files.ts";

/**
 * Saves pictures in a folder, under the next names that are free: nothing is
 * written over, and no link is followed.
 *
 * @returns The names of the files that were saved, and a sentence for each
 * picture that could not be saved.
 */
export async function savePictures(
  images: readonly Image[],
  folder: string,
): Promise<{ saved: string[]; failures: string[] }> {
  const saved: string[] = [];
  const failures: string[] = [];
  let number = 0;
  for (const image of images) {
    try {
      let name;
      do name = toName(image, ++number); while (
        !await maybeWrite(join(folder, name), toBytes(image))
      );
      saved.push(name);
    } catch (error) {
      failures.push(`Cannot save a picture: ${reasonOf(error)}`);
    }
  }
  return { saved, failures };
}

/** Writes a new file; false if its name is taken. */
async function maybeWrite(
  path: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  try {
    await Deno.writeFile(path, bytes, { createNew: true });
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  }
}
