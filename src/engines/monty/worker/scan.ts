import { PythonError } from "./host_call.ts";
import { FileFault } from "./os_error.ts";
import { MOST_NAMES, toPath } from "./place.ts";
import type { Entry, Place, Tree } from "./tree.ts";

/** Entries of a scan; each comes to Python. */
export const MOST_SCANNED = 100_000;

/** An entry with its path from the root of the scan, where the root's is empty. */
export interface Scanned extends Entry {
  path: string;
}

/**
 * The entries below a folder: an entry at `maxDepth` is the deepest. Without a depth,
 * a link to a folder that it is in is not followed, as it would be without end.
 *
 * @throws {PythonError} If there are too many. It is not an `OSError`, which `glob()`
 * would take for an empty folder.
 */
export function* scan(
  tree: Tree,
  root: Place,
  { maxDepth = Infinity, followLinks }: {
    maxDepth?: number | undefined;
    followLinks: boolean;
  },
): Generator<Scanned> {
  const folders: Folder[] = [
    { path: "", place: tree.resolve(root), depth: 0, above: undefined },
  ];
  let count = 0;
  for (let folder; (folder = folders.pop());) {
    const { path, place, depth } = folder;
    if (depth >= maxDepth) continue;
    for (const entry of depth === 0 ? tree.list(place) : listOf(place)) {
      if (++count > MOST_SCANNED) throw tooMany();
      const below = path === "" ? entry.name : `${path}/${entry.name}`;
      yield { ...entry, path: below };
      const isFolder = entry.kind === "folder" &&
        (followLinks || !entry.isLink) && depth < MOST_NAMES;
      if (!isFolder) continue;
      const plain = [...place, entry.name];
      const real = entry.isLink ? tree.resolve(plain) : plain;
      const isLoop = entry.isLink && maxDepth === Infinity &&
        isIn(real, folder);
      if (isLoop) continue;
      folders.push({
        ...{ path: below, place: real, depth: depth + 1 },
        above: folder,
      });
    }
  }

  /** A folder below the root may be gone or closed. */
  function listOf(place: Place): Entry[] {
    try {
      return tree.list(place);
    } catch (error) {
      if (error instanceof FileFault) return [];
      throw error;
    }
  }
}

interface Folder {
  path: string;
  /** Its place without links. */
  place: Place;
  depth: number;
  above: Folder | undefined;
}

/** Whether a folder, or a folder that it was reached by, is at a place. */
function isIn(place: Place, folder: Folder): boolean {
  const path = toPath(place);
  for (let at: Folder | undefined = folder; at; at = at.above) {
    if (toPath(at.place) === path) return true;
  }
  return false;
}

function tooMany(): PythonError {
  return new PythonError(
    "RuntimeError",
    `directory scan examined more than ${MOST_SCANNED} entries`,
  );
}
