import {
  type FilePiece,
  type RunFile,
  toPieces,
} from "../../../protocol/run_files.ts";
import type { FileRemoved, Output } from "../../../protocol/run_messages.ts";
import {
  LEFT_OUT,
  shown,
  toLeftOut,
  whyNoFolder,
  whyNoPath,
} from "../../shared/left_out.ts";
import type { MemoryFile, MemoryFolder, MemoryTree } from "./memory_tree.ts";
import { fail, FileFault } from "./os_error.ts";

/** Files on their way into the working folder of an interpreter, and back. */
export class Workspace {
  /** The files that are as they were put or sent. */
  #known = new Map<string, { file: MemoryFile; version: number }>();

  /** @param homeName The name of the working folder in the tree. */
  constructor(private tree: MemoryTree, private homeName: string) {}

  /** Puts files there; gives a reason for each file that does not fit. */
  put(files: readonly RunFile[]): string[] {
    return files.flatMap(({ path, bytes }) => {
      try {
        this.#known.set(path, toKnown(this.#put(path, bytes)));
        return [];
      } catch (error) {
        return [`${shown(path)}: ${reasonOf(error)}`];
      }
    });
  }

  /**
   * The files that are new or changed since they were put or sent, the paths of those
   * that are gone, and the names of the files that no client can have.
   */
  *changes(): Generator<FilePiece | FileRemoved | Output> {
    const leftOut: string[] = [];
    const before = this.#known;
    this.#known = new Map();
    for (const [path, file] of filesBelow(this.tree.home, leftOut)) {
      const was = before.get(path);
      before.delete(path);
      this.#known.set(path, toKnown(file));
      if (was?.file === file && was.version === file.version) continue;
      const bytes = file.storage.subarray(0, file.size);
      for (const piece of toPieces({ path, bytes })) {
        // A copy, which the receiver may transfer.
        yield { ...piece, bytes: piece.bytes.slice() };
      }
    }
    for (const path of before.keys()) yield { type: "removed", path };
    const text = toLeftOut("Not sent back from /workspace", leftOut);
    if (text !== "") yield { type: "output", stream: "stderr", text };
  }

  #put(path: string, bytes: Uint8Array<ArrayBuffer>): MemoryFile {
    const place = [this.homeName, ...path.split("/")];
    for (let depth = 2; depth < place.length; depth++) {
      this.#makeFolder(place.slice(0, depth));
    }
    this.tree.write(place, bytes, "over");
    const file = this.tree.find(place);
    return file.kind === "file" ? file : fail("EISDIR");
  }

  #makeFolder(place: string[]): void {
    try {
      this.tree.makeFolder(place);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
}

function toKnown(file: MemoryFile) {
  return { file, version: file.version };
}

/** Files with their paths. */
function* filesBelow(
  root: MemoryFolder,
  leftOut: string[],
): Generator<[string, MemoryFile]> {
  const folders = [{ path: "", folder: root, depth: 0 }];
  for (let next; (next = folders.pop());) {
    const { path: above, folder, depth } = next;
    const tooDeep = whyNoFolder(above, depth);
    if (tooDeep !== undefined) {
      leftOut.push(tooDeep);
      continue;
    }
    for (const [name, node] of folder.entries) {
      const path = above === "" ? name : `${above}/${name}`;
      if (node.kind === "folder") {
        folders.push({ path, folder: node, depth: depth + 1 });
        continue;
      }
      const reason = whyNoPath(path);
      if (reason === undefined) yield [path, node];
      else leftOut.push(reason);
    }
  }
}

function reasonOf(error: unknown): string {
  switch (codeOf(error)) {
    case "ENOSPC":
      return LEFT_OUT.noRoom;
    case "EISDIR":
    case "ENOTDIR":
      return LEFT_OUT.bothKinds;
    default:
      throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof FileFault ? error.code : undefined;
}
