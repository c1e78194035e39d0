import { MIB } from "../../units.ts";
import type { FileExchange } from "../pool/pool.ts";
import { type RunFile, toFileBounds } from "../../protocol/run_files.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import {
  type FileBlock,
  type KeptFile,
  toFileBlocks,
  toListed,
} from "../../results/result_files.ts";
import { FileStore } from "./file_store.ts";
import { Folder } from "./folder.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";

/** The files of one connection: what its runs wrote, and find. */
export class ConnectionFiles {
  readonly store: FileStore;
  /** With `--file-tools`. */
  readonly folder: Folder | undefined;

  constructor(settings: ServerSettings) {
    this.store = new FileStore(settings.maxStoredFilesMiB * MIB);
    this.folder = settings.fileTools
      ? new Folder(toFileBounds(settings))
      : undefined;
  }

  /**
   * What goes into a run.
   *
   * @throws {RangeError} If it is more than there may be.
   */
  exchange(own: RunFile[]): FileExchange {
    return { put: this.folder?.mergeInto(own) ?? own };
  }

  /** Keeps what a run wrote; gives its result with the files listed. */
  keep(ran: RunResult): { result: RunResult; blocks: FileBlock[] } {
    const { written = [], removed = [], ...result } = ran;
    if (written.length + removed.length === 0) return { result, blocks: [] };
    written.sort((a, b) => a.path < b.path ? -1 : 1);
    this.folder?.update(written, removed);
    if (written.length === 0) return { result, blocks: [] };
    const files: KeptFile[] = this.store.add(written);
    const listed = toListed(files);
    const truncated = listed.length < files.length
      ? { truncated: { ...result.truncated, files: files.length } }
      : {};
    return {
      result: { ...result, ...truncated, files: listed },
      blocks: toFileBlocks(files, listed, Boolean(ran.images)),
    };
  }
}
