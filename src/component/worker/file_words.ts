// Words of `wasi:filesystem`, and how errors and attributes of files become them.
import {
  ERRNO,
  FILE,
  FOLDER,
  KIND,
  LINK,
  type Node,
} from "../../engines/shared/emscripten_fs.ts";
import { ErrnoError } from "../../engines/shared/plain_nodes.ts";

/** Codes of WASI by the names of errors. */
const CODES: Partial<Record<keyof typeof ERRNO, string>> = {
  EACCES: "access",
  EBADF: "bad-descriptor",
  EBUSY: "busy",
  EEXIST: "exist",
  EFBIG: "file-too-large",
  EINVAL: "invalid",
  EIO: "io",
  EISDIR: "is-directory",
  ELOOP: "loop",
  EMFILE: "insufficient-memory",
  ENAMETOOLONG: "name-too-long",
  ENOENT: "no-entry",
  ENOSPC: "insufficient-space",
  ENOTDIR: "not-directory",
  ENOTEMPTY: "not-empty",
  EPERM: "not-permitted",
  EROFS: "read-only",
  EXDEV: "cross-device",
};

export const BY_NUMBER = new Map(
  Object.entries(CODES).map(([name, code]) => [Reflect.get(ERRNO, name), code]),
);

export interface PathFlags {
  symlinkFollow?: boolean;
}

export interface OpenFlags {
  create?: boolean;
  directory?: boolean;
  exclusive?: boolean;
  truncate?: boolean;
}

export interface DescriptorFlags {
  read?: boolean;
  write?: boolean;
  mutateDirectory?: boolean;
}

/** Whether a path names the folder that it starts from. */
export function isHere(path: string): boolean {
  return path === "." || path === "" || path === "./";
}

export function fail(code: keyof typeof ERRNO): never {
  throw new ErrnoError(ERRNO[code]);
}

export function typeOf({ mode }: Pick<Node, "mode">): string {
  switch (mode & KIND) {
    case FILE:
      return "regular-file";
    case FOLDER:
      return "directory";
    case LINK:
      return "symbolic-link";
    default:
      return "unknown";
  }
}

export function toTime(date: Date) {
  const ms = +date;
  const seconds = Math.floor(ms / 1000);
  return {
    seconds: BigInt(seconds),
    nanoseconds: Math.floor((ms - seconds * 1000) * 1e6),
  };
}
