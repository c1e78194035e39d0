import { UserError } from "../errors.ts";
import { isWithin } from "../grants/is_within.ts";
import { type CliContext, type Env, pathRules } from "./context.ts";

/**
 * Finds the cache folder if the user names none: that of the project around the
 * current folder, else the system's for this user.
 *
 * @throws {UserError} If the user has no home folder to keep a cache in.
 */
export function defaultCacheDir(env: Env, context: CliContext): string {
  const { join, resolve } = pathRules(context);
  const project = findProject(context);
  const base = project === undefined
    ? systemCache(env, context)
    : join(project, "node_modules", ".cache");
  return resolve(context.cwd, base, "mcp-run-python");
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

function systemCache(env: Env, context: CliContext): string {
  const { isAbsolute, join } = pathRules(context);
  const atHome = (...names: string[]) => {
    if (context.home) return join(context.home, ...names);
    throw new UserError(
      "Cannot choose a cache folder as this user has no home folder; " +
        "name one with --cache-dir or MCP_RUN_PYTHON_CACHE.",
    );
  };
  switch (context.os) {
    case "windows":
      return env["LOCALAPPDATA"] || atHome("AppData", "Local");
    case "darwin":
      return atHome("Library", "Caches");
    default: {
      // The XDG specification has a relative path ignored.
      const xdg = env["XDG_CACHE_HOME"] ?? "";
      return isAbsolute(xdg) ? xdg : atHome(".cache");
    }
  }
}
