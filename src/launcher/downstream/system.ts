import { sha256 } from "../../disk.ts";
import { maybe } from "../../errors.ts";
import { LARGEST_COMPONENT } from "../../protocol/downstream.ts";
import { MIB } from "../../units.ts";
import { realPathOf } from "../find_scope_paths.ts";

/** The machine, as far as the configuration of servers needs it. */
export interface System {
  os: string;
  cwd: string;
  home: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** A text that changes with the file; undefined if there is none. */
  stamp(path: string): string | undefined;
  /** Names in a folder; undefined if the path is not that of a folder. */
  listFolder(path: string): string[] | undefined;
  /** The path without symbolic links; the file need not be there. */
  realPath(path: string): string;
  /** The target of a symbolic link; undefined if the path is not that of one. */
  linkAt(path: string): string | undefined;
  /** Whether a path is a file that can be run. */
  isProgram(path: string): boolean;
  /** @throws If the file cannot be read. */
  readTextFile(path: string): string;
  /**
   * SHA-256 of a file's bytes, in hex.
   *
   * @throws If the file cannot be read.
   */
  hashFile(path: string): string;
}

/** A path that a server takes what it runs from, or may. */
export interface TakenPath {
  /** Names it for the user: "its program", say. */
  what: string;
  path: string;
  mayHold: boolean;
}

/** Bytes of a file of configuration; that of Claude Code keeps its history, too. */
const LARGEST = 64 * MIB;

/** This machine; variables are those of now, as the right to read them goes. */
export function thisSystem(): System {
  const env = Deno.env.toObject();
  return {
    os: Deno.build.os,
    cwd: Deno.cwd(),
    home: env.HOME || env.USERPROFILE,
    env,
    stamp(path) {
      const found = maybe(() => Deno.statSync(path));
      if (!found) return undefined;
      const { mtime, ctime, size, ino } = found;
      return [Number(mtime), Number(ctime), size, ino].join(" ");
    },
    listFolder: (path) =>
      maybe(() => [...Deno.readDirSync(path)].map(({ name }) => name)),
    realPath: realPathOf,
    linkAt: (path) => maybe(() => Deno.readLinkSync(path)),
    isProgram,
    readTextFile(path) {
      refuseLarge(path, LARGEST);
      return Deno.readTextFileSync(path);
    },
    hashFile(path) {
      refuseLarge(path, LARGEST_COMPONENT);
      return sha256(Deno.readFileSync(path));
    },
  };
}

function refuseLarge(path: string, most: number): void {
  const { size, isFile } = Deno.statSync(path);
  // A pipe would be waited for.
  if (!isFile) throw new TypeError("it is not a file");
  if (size <= most) return;
  throw new RangeError(`it has more than ${most / MIB} MiB`);
}

export function isProgram(path: string): boolean {
  const info = maybe(() => Deno.statSync(path));
  if (!info?.isFile) return false;
  return Deno.build.os === "windows" || ((info.mode ?? 0) & 0o111) !== 0;
}
