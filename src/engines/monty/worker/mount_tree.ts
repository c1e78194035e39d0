// deno-lint-ignore-file camelcase -- Emscripten's names
import type { Mount } from "../../../grants/mounts.ts";
import { isTextName } from "../../../protocol/workspace_path.ts";
import {
  FILE,
  FOLDER,
  KIND,
  LINK,
  type Node,
} from "../../shared/emscripten_fs.ts";
import {
  type FolderFileSystem,
  folderFileSystem,
} from "../../shared/mount_fs.ts";
import { fail, FileFault, toCode } from "./os_error.ts";
import { ErrnoError, PLAIN_NODES } from "../../shared/plain_nodes.ts";
import type { Entry, Kind, Place, Stat, Tree } from "./tree.ts";

/** The most that a call may read: the answer is in memory several times. */
export const MOST_READ = 256 * 2 ** 20;
/** Names of a folder that a call may list. */
export const MOST_LISTED = 100_000;
/** Links that a path may lead over, as on Linux. */
const MOST_LINKS = 40;

const WRITE = 1;

/**
 * A folder of this machine. The file system of `mount_fs.ts` does all that touches the
 * machine, and has the rules; this class plays Emscripten's part, which walks along
 * paths and follows links.
 */
export class MountTree implements Tree {
  #folder: FolderFileSystem;
  #guest: string;
  #root: Node | undefined;

  constructor(mount: Mount) {
    this.#folder = folderFileSystem(PLAIN_NODES, mount);
    this.#guest = mount.guest;
  }

  stat(place: Place): Stat {
    return attempt(() => {
      const { node } = this.#walk(place);
      const { mode, size, atime, mtime } = this.#folder.nodeOps.getattr(node);
      const times = { accessedMs: +atime, modifiedMs: +mtime };
      return { kind: kindOf(node), mode, size, ...times };
    });
  }

  isLink(place: Place): boolean {
    return attempt(() => isLink(this.#walk(place, false).node));
  }

  list(place: Place): Entry[] {
    return attempt(() => {
      const folder = this.#walk(place);
      if (kindOf(folder.node) !== "folder") fail("ENOTDIR");
      const found = this.#folder.nodeOps.entries(folder.node);
      if (found.length > MOST_LISTED) fail("EFBIG");
      return found.flatMap(({ name, kind: mode }) =>
        this.#maybeEntry(folder.place, name, mode)
      );
    });
  }

  read(place: Place): Uint8Array {
    return attempt(() => {
      const stream = this.#open(place, 0);
      try {
        return this.#readAll(stream);
      } finally {
        this.#folder.streamOps.close(stream);
      }
    });
  }

  write(
    place: Place,
    bytes: Uint8Array<ArrayBuffer>,
    where: "over" | "behind",
  ): void {
    const { nodeOps, streamOps } = this.#folder;
    attempt(() => {
      this.#makeFile(place);
      if (where === "over") nodeOps.setattr(this.#file(place), { size: 0 });
      const stream = this.#open(place, WRITE);
      try {
        const { size } = streamOps.getattr(stream);
        streamOps.write(stream, bytes, 0, bytes.length, size);
      } finally {
        streamOps.close(stream);
      }
    });
  }

  makeFolder(place: Place): void {
    attempt(() => {
      const { parent, name } = this.#parentOf(place);
      this.#folder.nodeOps.mknod(parent, name, FOLDER | 0o777);
    });
  }

  removeFile(place: Place): void {
    attempt(() => {
      const { parent, name } = this.#parentOf(place, "EISDIR");
      this.#folder.nodeOps.unlink(parent, name);
    });
  }

  removeFolder(place: Place): void {
    attempt(() => {
      const { parent, name } = this.#parentOf(place);
      this.#folder.nodeOps.rmdir(parent, name);
    });
  }

  rename(from: Place, to: Place): void {
    attempt(() => {
      const source = this.#parentOf(from);
      const { parent, name } = this.#parentOf(to);
      const node = this.#folder.nodeOps.lookup(source.parent, source.name);
      this.#folder.nodeOps.rename(node, parent, name);
    });
  }

  resolve(place: Place): Place {
    try {
      return attempt(() => this.#walk(place)).place;
    } catch {
      const above = place.slice(0, -1);
      return place.length === 0
        ? place
        : [...this.resolve(above), ...place.slice(-1)];
    }
  }

  /** Follows all links but, if it says so, that of the last name. */
  #walk(place: Place, followLast = true): { node: Node; place: Place } {
    const { nodeOps } = this.#folder;
    const root = this.#root ??= this.#folder.mount();
    let node = root;
    let walked: Place = [];
    const rest = [...place];
    let links = 0;
    for (let name; (name = rest.shift()) !== undefined;) {
      const next = nodeOps.lookup(node, name);
      if (isLink(next) && (followLast || rest.length > 0)) {
        if (++links > MOST_LINKS) fail("ELOOP");
        // A real path: from the mount's own root, and without links.
        rest.unshift(...this.#namesOf(nodeOps.readlink(next)));
        [node, walked] = [root, []];
      } else [node, walked] = [next, [...walked, name]];
    }
    return { node, place: walked };
  }

  #namesOf(path: string): string[] {
    return path.slice(this.#guest.length).split("/").slice(1);
  }

  /** @param atRoot The error for the root itself. */
  #parentOf(place: Place, atRoot: "EISDIR" | "EBUSY" = "EBUSY") {
    const name = place.at(-1) ?? fail(atRoot);
    const parent = this.#walk(place.slice(0, -1)).node;
    if (kindOf(parent) !== "folder") fail("ENOTDIR");
    return { parent, name };
  }

  /** None for a link that leads nowhere, or out, and for a name that is not UTF-8. */
  #maybeEntry(folder: Place, name: string, mode: number): Entry[] {
    if (!isTextName(name)) return [];
    if (mode !== LINK) return [{ name, kind: kindOf({ mode }), isLink: false }];
    try {
      const kind = kindOf(this.#walk([...folder, name]).node);
      return [{ name, kind, isLink: true }];
    } catch {
      return [];
    }
  }

  #makeFile(place: Place): void {
    const { parent, name } = this.#parentOf(place, "EISDIR");
    try {
      this.#folder.nodeOps.lookup(parent, name);
    } catch {
      this.#folder.nodeOps.mknod(parent, name, FILE | 0o666);
    }
  }

  #file(place: Place): Node {
    const { node } = this.#walk(place);
    if (kindOf(node) === "folder") fail("EISDIR");
    // A device or pipe.
    return kindOf(node) === "file" ? node : fail("EACCES");
  }

  #open(place: Place, flags: number) {
    const { streamOps } = this.#folder;
    const node = this.#file(place);
    const stream = {
      ...{ node, flags, position: 0, shared: {} },
      stream_ops: streamOps,
    };
    streamOps.open(stream);
    return stream;
  }

  #readAll(stream: Parameters<FolderFileSystem["streamOps"]["read"]>[0]) {
    const { streamOps } = this.#folder;
    const { size } = streamOps.getattr(stream);
    // A byte more, to see the end; a file of the system may have more than it says.
    let bytes = new Uint8Array(Math.min(size, MOST_READ) + 1);
    for (let at = 0;;) {
      const more = streamOps.read(stream, bytes, at, bytes.length - at, at);
      at += more;
      if (at > MOST_READ) fail("EFBIG");
      if (at < bytes.length) return bytes.subarray(0, at);
      const larger = new Uint8Array(2 * bytes.length);
      larger.set(bytes);
      bytes = larger;
    }
  }
}

/** Calls the folder's file system, whose errors are numbers of Emscripten. */
function attempt<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw error instanceof ErrnoError
      ? new FileFault(toCode(error.errno))
      : error;
  }
}

function isLink(node: Node): boolean {
  return (node.mode & KIND) === LINK;
}

function kindOf({ mode }: Pick<Node, "mode">): Kind {
  switch (mode & KIND) {
    case FILE:
      return "file";
    case FOLDER:
      return "folder";
    default:
      return "other";
  }
}
