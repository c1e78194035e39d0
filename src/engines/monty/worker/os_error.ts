import { ERRNO } from "../../shared/emscripten_fs.ts";
import { PythonError } from "./host_call.ts";
import { toRepr } from "./repr.ts";

/** The name of an error of the system, such as `ENOENT`. */
export type ErrorCode = keyof typeof ERRNO;

/** A call on files has failed; the paths of the call are not known here. */
export class FileFault extends Error {
  constructor(readonly code: ErrorCode) {
    super(code);
  }
}

export function fail(code: ErrorCode): never {
  throw new FileFault(code);
}

/** Numbers and words of Linux, and the subclass of `OSError`. */
const WORDS: Record<ErrorCode, [errno: number, words: string, type?: string]> =
  {
    EACCES: [13, "Permission denied", "PermissionError"],
    EBADF: [9, "Bad file descriptor"],
    EBUSY: [16, "Device or resource busy"],
    EEXIST: [17, "File exists", "FileExistsError"],
    EFBIG: [27, "File too large"],
    EILSEQ: [84, "Invalid or incomplete multibyte or wide character"],
    EINVAL: [22, "Invalid argument"],
    EIO: [5, "Input/output error"],
    EISDIR: [21, "Is a directory", "IsADirectoryError"],
    ELOOP: [40, "Too many levels of symbolic links"],
    EMFILE: [24, "Too many open files"],
    ENAMETOOLONG: [36, "File name too long"],
    ENFILE: [23, "Too many open files in system"],
    ENOENT: [2, "No such file or directory", "FileNotFoundError"],
    ENOSPC: [28, "No space left on device"],
    ENOTDIR: [20, "Not a directory", "NotADirectoryError"],
    ENOTEMPTY: [39, "Directory not empty"],
    EPERM: [1, "Operation not permitted", "PermissionError"],
    // As Monty's own mounts have it; CPython raises OSError itself.
    EROFS: [30, "Read-only file system", "PermissionError"],
    EXDEV: [18, "Invalid cross-device link"],
  };

/** The exception of Python for an error of a call with these paths. */
export function toOsError(code: ErrorCode, ...paths: string[]): PythonError {
  const [errno, words, type = "OSError"] = WORDS[code];
  const named = paths.map((path) => toRepr(shortened(path))).join(" -> ");
  return new PythonError(type, `[Errno ${errno}] ${words}: ${named}`);
}

/** Characters at each end of a long path. */
const EDGE = 20;
/** The longest path that another system takes. */
const LONGEST = 4096;

function shortened(path: string): string {
  return path.length > LONGEST
    ? `${path.slice(0, EDGE)}…${path.slice(-EDGE)}`.toWellFormed()
    : path;
}

const CODES = new Map<unknown, ErrorCode>(
  Object.entries(ERRNO).map(([code, errno]) => [errno, code as ErrorCode]),
);

/** The name of an error number of Emscripten's C library. */
export function toCode(errno: unknown): ErrorCode {
  return CODES.get(errno) ?? "EIO";
}
