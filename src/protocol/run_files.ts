// Files of a run on their way, in pieces: no message is large, and no file is in
// memory more often than its reader keeps it.
import { MIB } from "../units.ts";
import { isWorkspacePath, newFolders } from "./workspace_path.ts";

/** A file in a run's working folder. */
export interface RunFile {
  /** Below `/workspace`, in the form of `toWorkspacePath()`. */
  path: string;
  /** Its contents. */
  bytes: Uint8Array<ArrayBuffer>;
}

/** The most that the files of a run may be, in all. */
export interface FileBounds {
  bytes: number;
  /** Files, and the folders that they need. */
  count: number;
}

export function toFileBounds(
  { maxFilesMiB, maxFiles }: { maxFilesMiB: number; maxFiles: number },
): FileBounds {
  return { bytes: maxFilesMiB * MIB, count: maxFiles };
}

/** A piece of a file; the pieces of a file come in order, before the next file's. */
export interface FilePiece {
  type: "file";
  path: string;
  /** Of the whole file, in bytes. */
  size: number;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Bytes in one piece. */
export const PIECE_BYTES = 1 << 20;

/** Cuts a file into pieces; an empty file has one. */
export function* toPieces({ path, bytes }: RunFile): Generator<FilePiece> {
  let at = 0;
  do {
    const part = bytes.subarray(at, at += PIECE_BYTES);
    yield { type: "file", path, size: bytes.length, bytes: part };
  } while (at < bytes.length);
}

export class FileTally {
  #paths = new Set<string>();
  #folders = new Set<string>();
  #bytes = 0;
  #removals = 0;
  #open:
    | { path: string; size: number; left: number; fits: boolean }
    | undefined;
  #isInOrder = true;

  constructor(private bounds: FileBounds) {}

  /**
   * Takes the next piece; false if the run cannot have its file beside those before
   * it, and for each piece after pieces that are out of order.
   */
  take({ path, size, bytes: { length } }: FilePiece): boolean {
    const file = this.#open ??
      { path, size, left: size, fits: this.#begin(path, size) };
    const isNext = file.path === path && file.size === size &&
      length <= file.left && (length > 0 || size === 0);
    if (!isNext) this.#isInOrder = false;
    file.left -= length;
    this.#open = file.left > 0 ? file : undefined;
    return this.#isInOrder && file.fits;
  }

  /** Takes the path of a file that is gone; whether a run can have removed it. */
  takeRemoved(path: string): boolean {
    return this.#isInOrder && isWorkspacePath(path) &&
      ++this.#removals <= this.bounds.count;
  }

  #begin(path: string, size: number): boolean {
    const { bytes, count } = this.bounds;
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

/** Puts pieces together. Pieces of a hostile guest are for a `FileTally` first. */
export class FileReceiver {
  readonly files: RunFile[] = [];
  #open: RunFile | undefined;
  #filled = 0;

  /** @throws {RangeError} If the piece does not fit into its file. */
  take({ path, size, bytes }: FilePiece): void {
    const file = this.#open ?? { path, bytes: new Uint8Array(size) };
    file.bytes.set(bytes, this.#filled);
    this.#filled += bytes.length;
    const isWhole = this.#filled === size;
    this.#open = isWhole ? undefined : file;
    if (!isWhole) return;
    this.#filled = 0;
    this.files.push(file);
  }
}
