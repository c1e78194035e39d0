import type {
  FileRemoved,
  FromSandbox,
  WorkerFilePiece,
} from "../protocol/run_messages.ts";
import { type FileBounds, FileTally } from "../protocol/run_files.ts";
import { isWorkspacePath } from "../protocol/workspace_path.ts";

/**
 * Lets through what a run wrote, as far as it keeps to its bounds: what goes
 * beyond them costs the server nothing.
 */
export class FileGate {
  #tally: FileTally;
  #removals: number;
  #open:
    | { path: string; size: number; left: number; passes: boolean }
    | undefined;
  #isClosed = false;
  #dropped = 0;

  /** Starts with no file. */
  constructor(bounds: FileBounds) {
    this.#tally = new FileTally(bounds);
    this.#removals = bounds.count;
  }

  /** The message for the server, if it may have it. */
  take(file: WorkerFilePiece | FileRemoved): FromSandbox | undefined {
    if (this.#isClosed) return undefined;
    if (file.type === "removed") {
      const passes = isWorkspacePath(file.path) && this.#removals-- > 0;
      return passes ? file : undefined;
    }
    const { bytes, ...piece } = file;
    return this.#passes(file)
      ? { ...piece, base64: bytes.toBase64() }
      : undefined;
  }

  /** Says what did not pass; empty if all did. */
  note(): string {
    return this.#dropped === 0
      ? ""
      : `Not sent back from /workspace: what is more than there may be (--max-files-size, --max-files), files: ${this.#dropped}\n`;
  }

  #passes({ path, size, bytes: { length } }: WorkerFilePiece): boolean {
    const file = this.#open ?? this.#begin(path, size);
    const isNext = file.path === path && file.size === size &&
      length <= file.left && (length > 0 || size === 0);
    // Our own worker sends pieces in order: the server would refuse the rest.
    if (!isNext) this.#isClosed = true;
    file.left -= length;
    this.#open = file.left > 0 ? file : undefined;
    return isNext && file.passes;
  }

  #begin(path: string, size: number) {
    const passes = this.#tally.take(path, size);
    if (!passes) this.#dropped++;
    return { path, size, left: size, passes };
  }
}
