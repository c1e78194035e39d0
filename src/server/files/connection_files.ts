import { MIB } from "../../units.ts";
import type { ContentBlock } from "../../../deps/mcp_server.ts";
import {
  type FileBounds,
  type RunFile,
  toFileBounds,
} from "../../protocol/run_files.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import { toFileBlocks, toListed } from "../../results/result_files.ts";
import { FileStore } from "./file_store.ts";
import { Folder } from "./folder.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";

/** A result, and the blocks of content that show its files. */
export interface FinishedRun {
  result: RunResult;
  blocks: ContentBlock[];
}

/** The files that the runs of a connection wrote, and the files for its runs. */
export class ConnectionFiles {
  readonly store: FileStore;
  /** With `--file-tools`. */
  readonly folder: Folder | undefined;
  readonly bounds: FileBounds;

  constructor(settings: ServerSettings) {
    this.store = new FileStore(settings.maxStoredFilesMiB * MIB);
    this.bounds = toFileBounds(settings);
    this.folder = settings.fileTools ? new Folder(this.bounds) : undefined;
  }

  /** @throws {RangeError} If the files are more than a run may have. */
  forRun(own: RunFile[]): RunFile[] {
    return this.folder?.mergeInto(own) ?? own;
  }

  /** Keeps the files that a run wrote, and lists them in its result. */
  keep(ran: RunResult): FinishedRun {
    const { written = [], removed = [], ...result } = ran;
    written.sort((a, b) => a.path < b.path ? -1 : 1);
    this.folder?.update(written, removed);
    if (written.length === 0) return { result, blocks: [] };
    const files = this.store.add(written);
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
