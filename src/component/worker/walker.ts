import { ERRNO, type Node } from "../../engines/shared/emscripten_fs.ts";
import type { FolderFileSystem } from "../../engines/shared/mount_fs.ts";
import { ErrnoError } from "../../engines/shared/plain_nodes.ts";
import { fail, typeOf } from "./file_words.ts";

/** Links that a path may lead over, as on Linux. */
const MOST_LINKS = 40;

/** A file or folder, and the names that lead to it from its mount. */
export interface At {
  node: Node;
  place: readonly string[];
}

/** Walks along paths from a folder: never above it by `..`, nor out of the mount by a link. */
export class Walker {
  constructor(
    private readonly folder: FolderFileSystem,
    /** The mount's path for the component. */
    private readonly guest: string,
    private readonly start: At,
  ) {}

  /** @param followLast Whether a link at the end is followed, too. */
  follow(path: string, followLast = false): At {
    return this.#walk(path.split("/"), followLast);
  }

  /** Undefined if there is nothing. */
  maybeFollow(path: string, followLast?: boolean): At | undefined {
    try {
      return this.follow(path, followLast);
    } catch (error) {
      const isAbsent = error instanceof ErrnoError &&
        error.errno === ERRNO.ENOENT;
      if (isAbsent) return undefined;
      throw error;
    }
  }

  /** The folder that a path's last name is in. */
  parentOf(path: string) {
    const names = path.split("/").filter((name) => name !== "" && name !== ".");
    const name = names.pop();
    if (name === undefined || name === "..") fail("EINVAL");
    const { node: parent, place } = this.#walk(names, true);
    if (typeOf(parent) !== "directory") fail("ENOTDIR");
    return { parent, name, place };
  }

  #walk(names: readonly string[], followLast: boolean): At {
    if (names[0] === "" && names.length > 1) fail("EACCES");
    const { node: root, place: base } = this.start;
    let nodes: Node[] = [];
    const rest = [...names];
    let walked: string[] = [];
    let links = 0;
    for (let name; (name = rest.shift()) !== undefined;) {
      const node = nodes.at(-1) ?? root;
      if (name === "" || name === ".") continue;
      if (typeOf(node) !== "directory") fail("ENOTDIR");
      if (name === "..") {
        if (walked.length === 0) fail("EACCES");
        nodes.pop();
        walked.pop();
        continue;
      }
      const next = this.folder.nodeOps.lookup(node, name);
      const isLast = rest.every((one) => one === "" || one === ".");
      if (typeOf(next) === "symbolic-link" && (followLast || !isLast)) {
        if (++links > MOST_LINKS) fail("ELOOP");
        // A real path: from the mount's own root, and without links.
        const target = this.folder.nodeOps.readlink(next)
          .slice(this.guest.length).split("/").slice(1);
        if (base.some((part, at) => target[at] !== part)) fail("EACCES");
        rest.unshift(...target.slice(base.length));
        [nodes, walked] = [[], []];
      } else {
        nodes.push(next);
        walked.push(name);
      }
    }
    return { node: nodes.at(-1) ?? root, place: [...base, ...walked] };
  }
}
