/**
 * The command `cache <action>`, for as long as the command line has none:
 * its arguments are the cache folder and the action.
 *
 * @module
 */
import { cache } from "../../src/cli/cache.ts";
import { UserError } from "../../src/errors.ts";
import { log } from "../../src/log.ts";

if (import.meta.main) {
  const [cacheDir = "", action] = Deno.args;
  switch (action) {
    case "dir":
    case "list":
    case "prune":
    case "clean":
      Deno.exit(await cache({ cacheDir }, action).catch(explain));
  }
}

function explain(error: unknown): number {
  if (!(error instanceof UserError)) throw error;
  log(`error: ${error.message}`);
  return error.exitCode;
}
