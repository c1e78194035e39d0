// What the readers of a policy's parts share.
import type { Fault, Path } from "./document.ts";

/** The file of a policy, and all of this machine that its text refers to. */
export interface PolicyPlace {
  /** Its absolute path: relative paths start at its folder. */
  file: string;
  os: string;
  isFolder(path: string): boolean;
  /** The path without symbolic links; undefined if it is not there. */
  realPath(path: string): string | undefined;
  /** A variable of this program. */
  variable(name: string): string | undefined;
  /** The path for the guest of a path that has no `x-mount`; the same path if absent. */
  toGuest?(host: string): string;
}

/** What a reader of a part of a policy needs beside that part. */
export interface Reading {
  place: PolicyPlace;
  fault: Fault;
  warn(path: Path, reason: string): void;
}

/** A value of a policy in a message. */
export function shown(value: string | number): string {
  return JSON.stringify(value);
}
