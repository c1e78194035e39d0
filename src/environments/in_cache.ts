import { reasonOf, UserError } from "../errors.ts";

/** The error of a cache folder that cannot be used; another try would not help. */
export class CacheError extends UserError {}

/** Does work that fails only if the cache folder does; the error then has a remedy. */
export async function inCache<T>(
  { cacheDir }: { cacheDir: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UserError) throw error;
    const remedy = /os error (28|122)/.test(String(error))
      ? "Make room on its disk, or choose another folder with --cache-dir."
      : "Choose a folder that can be written with --cache-dir.";
    const reason = error instanceof Deno.errors.NotCapable
      ? "Deno keeps programs out of it"
      : reasonOf(error);
    throw new CacheError(
      `Cannot use the cache in ${cacheDir}: ${reason}. ${remedy}`,
    );
  }
}
