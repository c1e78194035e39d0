import { MIB } from "../../units.ts";
import type { FileBounds, RunFile } from "../../protocol/run_files.ts";
import { belowAny, foldersOfAll } from "../../protocol/workspace_path.ts";
import { countNodes } from "../contracts/files_argument.ts";

/**
 * The files of a connection whose client knows tools only (`--file-tools`).
 * Every run finds them in its working folder, and its changes come back.
 */
export class Folder {
  /** Files by path, the latest file last. */
  #files = new Map<string, RunFile>();

  constructor(readonly bounds: FileBounds) {}

  get(path: string): RunFile | undefined {
    return this.#files.get(path);
  }

  /** All files, sorted by path. */
  list(): RunFile[] {
    return [...this.#files.values()]
      .sort((a, b) => a.path < b.path ? -1 : 1);
  }

  /** @throws {RangeError} If the file does not fit; the message says why. */
  write(file: RunFile): void {
    const others = this.list().filter(({ path }) => path !== file.path);
    const folders = foldersOfAll([file.path]);
    const other = others.find(({ path }) =>
      folders.has(path) || path.startsWith(`${file.path}/`)
    );
    if (other) {
      throw new RangeError(
        `Cannot write "${file.path}" as there is "${other.path}": a path cannot be a file and a folder`,
      );
    }
    if (!this.#fits([...others, file])) {
      const most = this.bounds.bytes / MIB;
      throw new RangeError(
        `Cannot write "${file.path}" as the files of /workspace would be more than ${most} MiB (--max-files-size) or ${this.bounds.count} files and folders (--max-files): have Python delete some`,
      );
    }
    this.#set(file);
  }

  /** The files for a run: its own files, and the folder's files beside them. */
  mergeInto(own: readonly RunFile[]): RunFile[] {
    const paths = new Set(own.map(({ path }) => path));
    const folders = foldersOfAll(paths);
    const isBelow = belowAny(paths);
    const beside = this.list().filter(({ path }) =>
      !paths.has(path) && !folders.has(path) && !isBelow(path)
    );
    const all = [...beside, ...own];
    if (this.#fits(all)) return all;
    throw new RangeError(
      "The files of this call, with those in /workspace, are more than a run may have (--max-files-size, --max-files): send fewer, or have Python delete some",
    );
  }

  /** Takes over the changes that a run made to its working folder. */
  update(written: readonly RunFile[], removed: readonly string[]): void {
    for (const path of removed) this.#files.delete(path);
    // A run may write a file where another run has made a folder.
    const taken = new Set(written.map(({ path }) => path));
    const isBelow = belowAny(taken);
    for (const path of this.#files.keys()) {
      if (isBelow(path)) this.#files.delete(path);
    }
    const folders = foldersOfAll(taken);
    for (const folder of folders) this.#files.delete(folder);
    for (const file of written) if (!folders.has(file.path)) this.#set(file);
    // Two runs at a time can write more than the bounds: the oldest files go.
    for (let count = 1; !this.#fits([...this.#files.values()]); count *= 2) {
      const oldest = [...this.#files.keys()].slice(0, count);
      for (const path of oldest) this.#files.delete(path);
    }
  }

  #set(file: RunFile): void {
    this.#files.delete(file.path);
    this.#files.set(file.path, file);
  }

  #fits(files: readonly RunFile[]): boolean {
    const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
    return bytes <= this.bounds.bytes &&
      countNodes(files) <= this.bounds.count;
  }
}
