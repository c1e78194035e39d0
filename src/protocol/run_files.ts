/**
 * Files of a run on their way, in pieces: no message is large, and no file is in
 * memory more often than its reader keeps it.
 *
 * @module
 */
import { MIB } from "../units.ts";
import { isWorkspacePath, newFolders } from "./workspace_path.ts";

/** A file in a run's working folder. */
export interface RunFile {
  /** Below `/workspace`, in the form of `toWorkspacePath()`. */
  path: string;
  /** What is in it. */
  bytes: Uint8Array<ArrayBuffer>;
}

/** What the files of a run may be, in all. */
export interface FileBounds {
  bytes: number;
  /** Files, and the folders that they need. */
  count: number;
}

/** The bounds that the options give. */
export function toFileBounds(
  { maxFilesMiB, maxFiles }: { maxFilesMiB: number; maxFiles: number },
): FileBounds {
  return { bytes: maxFilesMiB * MIB, count: maxFiles };
}

/** A piece of a file; the pieces of one come in order, and before the next's. */
export interface FilePiece {
  type: "file";
  path: string;
  /** Of the whole file, in bytes. */
  size: number;
  base64: string;
}

/** Bytes in one piece. */
export const PIECE_BYTES = 1 << 20;
/** The base64 of so many. */
export const LONGEST_PIECE: number = Math.ceil(PIECE_BYTES / 3) * 4;

/** Cuts a file into pieces; an empty one has one. */
export function* toPieces({ path, bytes }: RunFile): Generator<FilePiece> {
  let at = 0;
  do {
    const part = bytes.subarray(at, at += PIECE_BYTES);
    yield { type: "file", path, size: bytes.length, base64: part.toBase64() };
  } while (at < bytes.length);
}

/** Counts the files of one run. */
export class FileTally {
  #bounds: FileBounds;
  #paths = new Set<string>();
  #folders = new Set<string>();
  #bytes = 0;

  /** Starts without files. */
  constructor(bounds: FileBounds) {
    this.#bounds = bounds;
  }

  /** Counts a file, if a run can have it beside those before. */
  take(path: string, size: number): boolean {
    const { bytes, count } = this.#bounds;
    const had = this.#paths.size + this.#folders.size;
    if (had >= count) return false;
    if (!isWorkspacePath(path) || this.#paths.has(path)) return false;
    if (!(this.#bytes + size <= bytes)) return false;
    const folders = newFolders(this.#folders, path);
    if (had + folders.length >= count) return false;
    for (const folder of folders) this.#folders.add(folder);
    this.#paths.add(path);
    this.#bytes += size;
    return true;
  }
}

/**
 * Puts pieces together.
 *
 * @example What was cut comes back
 * ```ts
 * import { assertEquals } from "../../deps/assert.ts";
 *
 * const receiver = new FileReceiver({ bytes: 10, count: 1 });
 * const file = { path: "a", bytes: new Uint8Array([1, 2]) };
 * for (const piece of toPieces(file)) receiver.take(piece);
 * assertEquals(receiver.files, [file]);
 * ```
 */
export class FileReceiver {
  /** The files that are whole. */
  readonly files: RunFile[] = [];
  #open: (RunFile & { filled: number }) | undefined;
  #tally: FileTally;

  constructor(readonly bounds: FileBounds) {
    this.#tally = new FileTally(bounds);
  }

  /**
   * Takes the next piece.
   *
   * @throws {RangeError | SyntaxError} If no honest sender could have sent it.
   */
  take({ path, size, base64 }: FilePiece): void {
    const file = this.#open ?? this.#begin(path, size);
    if (file.path !== path || file.bytes.length !== size) {
      throw new RangeError("A file begins before the last one is whole");
    }
    const { read, written } = file.bytes.subarray(file.filled)
      .setFromBase64(base64, { lastChunkHandling: "strict" });
    file.filled += written;
    const isWhole = file.filled === size;
    if (read !== base64.length || (written === 0 && !isWhole)) {
      throw new RangeError("A piece of a file does not fit into it");
    }
    this.#open = isWhole ? undefined : file;
    if (isWhole) this.files.push({ path, bytes: file.bytes });
  }

  #begin(path: string, size: number): RunFile & { filled: number } {
    if (!this.#tally.take(path, size)) {
      throw new RangeError("There is a file that no run could have written");
    }
    return { path, bytes: new Uint8Array(size), filled: 0 };
  }
}
