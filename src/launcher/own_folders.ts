import { basename, dirname, join } from "node:path";
import { isWithin } from "../grants/is_within.ts";
import { maybe } from "../errors.ts";
import { type Mount, refuseMount } from "../grants/mounts.ts";

/**
 * @param own Folders of the cache, of the engine and of this program.
 * @throws {UserError} If a mount lies within these folders, or could change them.
 */
export function refuseOwnFolders(
  mounts: readonly Mount[],
  own: readonly string[],
  system: { os: string },
): void {
  for (const { host, isWritable } of mounts) {
    for (const folder of own) {
      const isInside = isWithin(host, folder, system);
      if (!isInside && !(isWritable && isWithin(folder, host, system))) {
        continue;
      }
      throw refuseMount(
        host,
        isInside
          ? `it is within "${folder}", which this program runs from`
          : `"${folder}", which this program runs from, is within it, and Python could change it: mount it read-only, mount a folder below it, or keep the cache elsewhere with --cache-dir`,
      );
    }
  }
}

/** The path without symbolic links; it may be of a folder that is not there yet. */
export function realPathOf(path: string): string {
  return maybe(() => Deno.realPathSync(path)) ??
    join(realPathOf(dirname(path)), basename(path));
}
