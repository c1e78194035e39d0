import type { Mount } from "../../../grants/mounts.ts";
import type { FilePiece, RunFile } from "../../../protocol/run_files.ts";
import type { FileRemoved, Output } from "../../../protocol/run_messages.ts";
import { WORKSPACE } from "../../../protocol/workspace_path.ts";
import { toDeniedPaths } from "../../shared/denied_paths.ts";
import { FILE_CALLS } from "./file_calls.ts";
import { type CallAnswer, type HostCall, toFailed } from "./host_call.ts";
import { MemoryTree } from "./memory_tree.ts";
import { whereItMayBe } from "./missing_files.ts";
import { FileFault, toOsError } from "./os_error.ts";
import { Workspace } from "./workspace.ts";
import { World } from "./world.ts";

export interface FilesOptions {
  /** Bytes of all files of the working folder together. */
  bytes: number;
  /** Files and folders in the working folder. */
  nodes: number;
  /** Folders of this machine that Python sees. */
  mounts: readonly Mount[];
}

/** The file system of an interpreter: its working folder in memory, and the mounts. */
export class Files {
  #world: World;
  #workspace: Workspace;
  #mounts: readonly string[];
  /** Paths that a policy denies, as Python sees them. */
  readonly denied: readonly string[];

  constructor({ bytes, nodes, mounts }: FilesOptions) {
    const home = WORKSPACE.slice(1);
    const memory = new MemoryTree(home, { bytes, nodes });
    this.#world = new World(memory, mounts);
    this.#mounts = mounts.map(({ guest }) => guest);
    this.denied = mounts.flatMap(toDeniedPaths);
    this.#workspace = new Workspace(memory, home);
  }

  /**
   * Puts files of a run into the working folder; gives the reasons for those that do
   * not fit. Their memory is given away.
   */
  put(files: readonly RunFile[]): string[] {
    return this.#workspace.put(files);
  }

  /**
   * Gives the changes in the working folder since files were put or sent: the receiver
   * of a piece has its memory. The names of files that no client can have come as stderr.
   */
  changes(): Iterable<FilePiece | FileRemoved | Output> {
    return this.#workspace.changes();
  }

  /** Sentences on the files that are there, for the error of a file that is not. */
  near(message: string): string | undefined {
    try {
      return whereItMayBe(message, this.#world, this.#mounts);
    } catch {
      // The code can raise such an error itself, with any path.
    }
  }

  /** Answers a call on files; undefined if it is another call. */
  answer({ name, ...given }: HostCall): CallAnswer | undefined {
    const step = FILE_CALLS.get(name);
    if (!step) return undefined;
    try {
      return { value: step(this.#world, given) };
    } catch (error) {
      if (!(error instanceof FileFault)) return toFailed(error);
      const paths = name === "Path.rename"
        ? given.args
        : given.args.slice(0, 1);
      return toFailed(toOsError(error.code, ...paths.map(String)));
    }
  }
}
