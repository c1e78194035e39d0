import { MIB } from "../../units.ts";
import type { ContentBlock } from "../../../deps/mcp_server.ts";
import {
  type FileBounds,
  type RunFile,
  toFileBounds,
} from "../../protocol/run_files.ts";
import { USUAL_OUTPUT } from "../../protocol/bounds.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import { count } from "../../results/cut.ts";
import { fitResult } from "../../results/fit_result.ts";
import { toStructured } from "../../results/render.ts";
import {
  type KeptFile,
  toFileBlocks,
  toListed,
} from "../../results/result_files.ts";
import { FileStore } from "./file_store.ts";
import { Folder } from "./folder.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";

/** A result, and the blocks of content that show its files. */
export interface FinishedRun {
  result: RunResult;
  blocks: ContentBlock[];
}

/** Bytes of whole results that a connection keeps, and the name of each. */
const KEPT_RESULTS = 32 * MIB;
const RESULT = "result.json";

/**
 * The files of a connection: those that its runs wrote, results that were cut, and
 * with `--file-tools` the files for later runs.
 */
export class ConnectionFiles {
  #files: FileStore;
  #results = new FileStore(KEPT_RESULTS);
  /** Characters that a model reads of a result. */
  readonly maxOutput: number;
  readonly folder: Folder | undefined;
  readonly bounds: FileBounds;

  constructor(settings: ServerSettings) {
    this.#files = new FileStore(settings.maxStoredFilesMiB * MIB);
    this.maxOutput = settings.maxOutput ?? USUAL_OUTPUT;
    this.bounds = toFileBounds(settings);
    this.folder = settings.fileTools ? new Folder(this.bounds) : undefined;
  }

  /** The file or result at this address; undefined if it was dropped. */
  get(uri: string): KeptFile | undefined {
    return this.#files.get(uri) ?? this.#results.get(uri);
  }

  /** All that has an address, the newest run's files first. */
  list(): KeptFile[] {
    return [...this.#files.list(), ...this.#results.list()];
  }

  /** @throws {RangeError} If the files are more than a run may have. */
  forRun(own: RunFile[]): RunFile[] {
    return this.folder?.mergeInto(own) ?? own;
  }

  /** Keeps the files that a run wrote, and more of its result than a model reads. */
  keep(ran: RunResult): FinishedRun {
    const { written = [], removed = [], ...whole } = ran;
    written.sort((a, b) => a.path < b.path ? -1 : 1);
    this.folder?.update(written, removed);
    const result = this.#fit(whole);
    if (written.length === 0) return { result, blocks: [] };
    const files = this.#files.add(written);
    const listed = toListed(files);
    const truncated = listed.length < files.length
      ? { truncated: { ...result.truncated, files: files.length } }
      : {};
    return {
      result: { ...result, ...truncated, files: listed },
      blocks: toFileBlocks(files, listed, Boolean(ran.images)),
    };
  }

  /**
   * Cuts a result to what a model reads, and keeps the whole to read on. There is
   * no link to it, as some clients put what is linked into the model's context.
   */
  #fit(whole: RunResult): RunResult {
    const result = fitResult(whole, this.maxOutput);
    if (result === whole) return whole;
    const bytes = new TextEncoder().encode(JSON.stringify(toStructured(whole)));
    const [{ uri = "" } = {}] = this.#results.add([{ path: RESULT, bytes }]);
    const rest = this.folder
      ? `read_file with uri ${uri}`
      : `MCP resource ${uri}`;
    const most = count(this.maxOutput);
    const note =
      `Cut to ${most} characters (--max-output). For the rest: ${rest}; or run code that gives less.`;
    return { ...result, truncated: { ...result.truncated, uri, note } };
  }
}
