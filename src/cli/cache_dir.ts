import { UserError } from "../errors.ts";
import type { Caches } from "../environments/wanted_environment.ts";
import { isWithin, pathRules } from "../grants/paths.ts";
import type { CliContext, Env } from "./context.ts";
import { userFolder } from "../library/user_folder.ts";

export const NAME = "mcp-run-python";

/**
 * Finds the caches if the user names none: that of the user, and that of the
 * project around the current folder. New environments and wheels go to the
 * project's only if the project has `node_modules`.
 *
 * @throws {UserError} If there is neither a project nor a home folder.
 */
export function findCaches(env: Env, context: CliContext): Caches {
  const { join, resolve } = pathRules(context);
  const { exists, cwd } = context;
  const project = findProject(context);
  const modules = project && join(project, "node_modules");
  const own = modules && join(modules, ".cache", NAME);
  const user = userFolder("cache", env, context);
  if (user === undefined) {
    if (own) return { cacheDir: own };
    throw new UserError(
      "Cannot choose a cache folder as this user has no home folder; name one with --cache-dir or MCP_RUN_PYTHON_CACHE.",
    );
  }
  const users = resolve(cwd, user, NAME);
  if (!own) return { cacheDir: users };
  return exists(modules)
    ? { cacheDir: own, otherCacheDir: users }
    : { cacheDir: users, otherCacheDir: own };
}

/** The nearest folder that has `node_modules` or a `package.json`. */
function findProject(context: CliContext): string | undefined {
  const { dirname, join } = pathRules(context);
  const { cwd, home, exists } = context;
  for (let dir = cwd;; dir = dirname(dir)) {
    // A stray ~/package.json does not make a project of everything in the home.
    if (home && isWithin(home, dir, context)) return undefined;
    const marks = ["node_modules", "package.json"];
    if (marks.some((mark) => exists(join(dir, mark)))) return dir;
    if (dir === dirname(dir)) return undefined;
  }
}
