import { posix, win32 } from "node:path";

/** A machine, or a part that a test plays of one. */
interface System {
  os: string;
  /** The path without symbolic links; absent on a machine without links. */
  realPath?(path: string): string | undefined;
}

/** The rules for paths on a machine. */
export function pathRules({ os }: System): typeof posix {
  return os === "windows" ? win32 : posix;
}

/** Whether a path is a folder or lies below it; both are absolute. */
export function isWithin(
  path: string,
  folder: string,
  system: System,
): boolean {
  const rules = pathRules(system);
  const between = rules.relative(folder, path);
  return between !== ".." && !between.startsWith(`..${rules.sep}`) &&
    !rules.isAbsolute(between);
}

export function isWithinAny(
  path: string,
  folders: readonly string[],
  system: System = Deno.build,
): boolean {
  return folders.some((folder) => isWithin(path, folder, system));
}

/** The path without symbolic links; what is not there keeps its name. */
export function realPathOf(path: string, system: System): string {
  const { basename, dirname, join } = pathRules(system);
  const parent = dirname(path);
  if (parent === path) return path;
  return system.realPath?.(path) ??
    join(realPathOf(parent, system), basename(path));
}
