import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CACHE = fileURLToPath(import.meta.resolve("../../.cache"));

/**
 * Makes a folder of the cache of all tests, whole or not at all; test files that
 * ask at the same time wait for the first.
 *
 * @param fill Fills a draft of it.
 * @returns The path of the folder.
 */
export async function makeOnce(
  name: string,
  fill: (draft: string) => Promise<void>,
): Promise<string> {
  const folder = join(CACHE, name);
  if (isThere(folder)) return folder;
  await Deno.mkdir(CACHE, { recursive: true });
  using turn = await Deno.open(`${folder}.lock`, { create: true, write: true });
  await turn.lock(true);
  if (isThere(folder)) return folder;
  const draft = await Deno.makeTempDir({ dir: CACHE });
  try {
    await fill(draft);
    await Deno.rename(draft, folder);
    return folder;
  } catch (error) {
    await Deno.remove(draft, { recursive: true });
    throw error;
  }
}

function isThere(folder: string): boolean {
  try {
    return Deno.statSync(folder).isDirectory;
  } catch {
    return false;
  }
}
