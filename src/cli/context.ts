import { posix, win32 } from "node:path";

/** What reading the command line needs from the machine it runs on. */
export interface CliContext {
  /** What `--version` prints. */
  version: string;
  /** Folder the command was started in; absolute. */
  cwd: string;
  /** The user's home folder, if there is one; as real a path as `cwd` is. */
  home: string | undefined;
  os: typeof Deno.build.os;
  exists(path: string): boolean;
  isFile(path: string): boolean;
  isFolder(path: string): boolean;
  /** The path without symbolic links; where there are none, absent. */
  realPath?(path: string): string | undefined;
  readTextFile(path: string): string;
}

/** Environment variables by name. */
export type Env = Readonly<Record<string, string | undefined>>;

/** The rules for paths on that machine, which a test can choose. */
export function pathRules({ os }: Pick<CliContext, "os">): typeof posix {
  return os === "windows" ? win32 : posix;
}
