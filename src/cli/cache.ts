import { EXIT, UserError } from "../errors.ts";
import { print } from "../log.ts";
import type { Settings } from "../settings.ts";
import type { CacheAction } from "./kinds.ts";

/** Shows or tidies what is kept for later starts. */
export function cache(
  settings: Settings,
  action: CacheAction,
): Promise<number> {
  switch (action) {
    case "dir":
      print(`${settings.cacheDir}\n`);
      return Promise.resolve(EXIT.ok);
    // STUB of the branch `cli`, until `cache` has these.
    case "list":
    case "prune":
    case "clean":
      throw new UserError(`Cannot ${action} the cache: not written yet.`);
  }
}
