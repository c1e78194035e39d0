import type { CliContext } from "../../src/cli/context.ts";
import { pathRules } from "../../src/grants/paths.ts";

/**
 * A machine to read a command line on.
 *
 * @param files Texts, by path; their folders are there, too.
 * @param some What is not as on a usual Linux.
 */
export function machine(
  files: Record<string, string> = {},
  some: Partial<CliContext> = {},
): CliContext {
  const context: CliContext = {
    version: "1.2.3",
    cwd: "/srv/app",
    home: "/home/ada",
    os: "linux",
    exists: (path) => context.isFile(path) || context.isFolder(path),
    isFile: (path) => Object.hasOwn(files, path),
    isFolder(path) {
      const { sep } = pathRules(context);
      const start = path.endsWith(sep) ? path : path + sep;
      return Object.keys(files).some((file) => file.startsWith(start));
    },
    readTextFile(path) {
      const text = files[path];
      if (text !== undefined) return text;
      throw context.isFolder(path)
        ? new Deno.errors.IsADirectory(
          `Is a directory (os error 21): readfile '${path}'`,
        )
        : new Deno.errors.NotFound(
          `No such file or directory (os error 2): readfile '${path}'`,
        );
    },
    ...some,
  };
  return context;
}
