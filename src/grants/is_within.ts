import { posix, win32 } from "node:path";

/** Whether a path is a folder or lies below it; both are absolute. */
export function isWithin(
  path: string,
  folder: string,
  { os }: { os: string },
): boolean {
  const rules = os === "windows" ? win32 : posix;
  const between = rules.relative(folder, path);
  return between !== ".." && !between.startsWith(`..${rules.sep}`) &&
    !rules.isAbsolute(between);
}
