import { maybe } from "../errors.ts";
import { VERSION } from "../version.ts";

/** The machine, as far as reading the command line needs it. */
export interface CliContext {
  version: string;
  /** Absolute. */
  cwd: string;
  /** The user's home folder, as real a path as `cwd`; undefined without a home. */
  home: string | undefined;
  os: typeof Deno.build.os;
  exists(path: string): boolean;
  isFile(path: string): boolean;
  isFolder(path: string): boolean;
  /** The path without symbolic links; absent on a machine without links. */
  realPath?(path: string): string | undefined;
  readTextFile(path: string): string;
}

export type Env = Readonly<Record<string, string | undefined>>;

export function thisMachine(): CliContext {
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE");
  return {
    version: VERSION,
    cwd: Deno.cwd(),
    home: home && (realPath(home) ?? home),
    os: Deno.build.os,
    exists: (path) => realPath(path) !== undefined,
    isFile: (path) => maybe(() => Deno.statSync(path))?.isFile ?? false,
    isFolder: (path) => maybe(() => Deno.statSync(path))?.isDirectory ?? false,
    realPath,
    readTextFile: (path) => Deno.readTextFileSync(path),
  };
}

const realPath = (path: string) => maybe(() => Deno.realPathSync(path));
