import type { ContentBlock } from "../../../deps/mcp_server.ts";
import { type FileBounds, toFileBounds } from "../../protocol/run_files.ts";
import { USUAL_OUTPUT } from "../../protocol/bounds.ts";
import type { Page, RunResult } from "../../protocol/run_result.ts";
import { count } from "../../results/cut.ts";
import type { Streams } from "../../results/code_mode/streams.ts";
import { fitResult } from "../../results/fit_result.ts";
import { sumUp } from "../../results/sum_up.ts";
import { toStructured } from "../../results/render.ts";
import {
  type KeptFile,
  toFileBlocks,
  toListed,
} from "../../results/result_files.ts";
import { toPageFiles, withAddresses } from "../../results/result_pages.ts";
import type { InterpreterKind } from "../pool/pool.ts";
import type { Shares } from "../shares.ts";
import { FileStore } from "./file_store.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";

/** A result, and the blocks of content that show its files. */
export interface FinishedRun {
  /** As a model reads it: a large value is summed up. */
  result: RunResult;
  /** As a program reads it: with all of the value that an answer may have; absent if that is the same. */
  whole?: RunResult;
  blocks: ContentBlock[];
  /** As it was at the start of the code; absent if no code ran. */
  interpreter?: InterpreterKind | undefined;
  /** Milliseconds before its code began, or until it was refused. */
  waitedMs?: number | undefined;
  /** Whether the client asks for whole values. */
  wantsWhole?: boolean | undefined;
  /** Whether the client shows pages, which it then gets at once. */
  showsPages?: boolean;
  /** Whether its output ends within a line. */
  isLineOpen?: boolean | undefined;
  /** Its output by stream, where that is wanted. */
  streams?: Streams;
}

/** The name of a whole result that is kept. */
const RESULT = "result.json";

/** The stores that all owners share; results have bytes of their own. */
export interface FileStores {
  files: FileStore;
  results: FileStore;
}

/** @param server The name of this server among several. */
export function openFileStores(
  { files, results }: Pick<Shares, "files" | "results">,
  server?: string,
): FileStores {
  return {
    files: new FileStore(files, server),
    results: new FileStore(results, server),
  };
}

/** The files of an owner: those that its runs wrote, and results that were cut. */
export class ConnectionFiles {
  /** Characters that a model reads of a result. */
  readonly maxOutput: number;
  readonly bounds: FileBounds;

  constructor(
    private settings: ServerSettings,
    private owner: string,
    private stores: FileStores,
  ) {
    this.maxOutput = settings.maxOutput ?? USUAL_OUTPUT;
    this.bounds = toFileBounds(settings);
  }

  /** The file or result at this address; undefined if it was dropped. */
  get(uri: string): KeptFile | undefined {
    const { owner, stores: { files, results } } = this;
    return files.get(owner, uri) ?? results.get(owner, uri);
  }

  /** All that has an address, the newest run's files first. */
  list(): KeptFile[] {
    const { owner, stores: { files, results } } = this;
    return [...files.list(owner), ...results.list(owner)];
  }

  /** Keeps the files and pages of a run, and more of its result than a model reads. */
  keep(ran: RunResult): FinishedRun {
    const { written = [], removed: _, pages, ...rest } = ran;
    const all: RunResult = pages
      ? { ...rest, pages: this.#keepPages(pages) }
      : rest;
    written.sort((a, b) => a.path < b.path ? -1 : 1);
    const results = this.#fit(all);
    const { result, whole } = results;
    if (written.length === 0) return { ...results, blocks: [] };
    const files = this.stores.files.add(this.owner, written);
    const listed = toListed(files);
    const withFiles = (result: RunResult) => ({
      ...result,
      ...(listed.length < files.length
        ? { truncated: { ...result.truncated, files: files.length } }
        : {}),
      files: listed,
    });
    return {
      result: withFiles(result),
      ...(whole ? { whole: withFiles(whole) } : {}),
      blocks: toFileBlocks(files, listed, Boolean(ran.images)),
    };
  }

  /** Apart from the files, as one of them may have the name of a page. */
  #keepPages(pages: readonly Page[]): Page[] {
    const files = this.stores.files.add(this.owner, toPageFiles(pages));
    return withAddresses(pages, files);
  }

  /**
   * Cuts a result for a model and for a program, and keeps the whole of it to read on.
   * There is no link to it, as some clients put what is linked into the model's context.
   */
  #fit(all: RunResult): Pick<FinishedRun, "result" | "whole"> {
    const summed = sumUp(all);
    const result = fitResult(summed, this.maxOutput);
    if (result === all) return { result };
    const whole = summed === all ? undefined : fitResult(all, this.maxOutput);
    const bytes = new TextEncoder().encode(JSON.stringify(toStructured(all)));
    const [{ uri = "" } = {}] = this.stores.results.add(this.owner, [{
      path: RESULT,
      bytes,
    }]);
    const { fileTools, codeMode } = this.settings;
    const rest = fileTools && !codeMode
      ? `read_file with uri ${uri}`
      : `MCP resource ${uri}`;
    const most = count(this.maxOutput);
    const cut =
      `Cut to ${most} characters (--max-output). For the rest: ${rest}; or run code that gives less.`;
    const note = whole && result === summed
      ? `The value is summed up. More of it: ${rest}; or run code that gives a part.`
      : cut;
    const told = (one: RunResult, note: string): RunResult => ({
      ...one,
      truncated: { ...one.truncated, uri, note },
    });
    return {
      result: told(result, note),
      ...whole && { whole: whole === all ? whole : told(whole, cut) },
    };
  }
}
