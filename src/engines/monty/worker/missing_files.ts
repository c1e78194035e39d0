import { nearest } from "../../../did_you_mean.ts";
import { WORKSPACE } from "../../../protocol/workspace_path.ts";
import { CANNOT_RUN } from "../../shared/cannot_run.ts";
import { FileFault } from "./os_error.ts";
import { toPath, toPlace } from "./place.ts";
import type { Place, Tree } from "./tree.ts";

/** Names of a folder, which may have any number. */
const MOST_READ = 1000;
const MOST_NAMED = 5;
/** Characters of a name that are shown. */
const LONGEST = 120;

/**
 * Sentences on the files that are there, for the error of a file that is not: those that
 * `missing_files.py` has for CPython.
 *
 * @param mounts Paths of the folders of the user.
 */
export function whereItMayBe(
  message: string,
  tree: Pick<Tree, "stat" | "list">,
  mounts: readonly string[],
): string | undefined {
  const [, path] = /^\[Errno 2\] [^']*'([^'\\]+)'$/.exec(message) ?? [];
  if (path === undefined) return undefined;
  const place = toPlace(path);
  let at = place.length - 1;
  while (!isFolder(tree, place.slice(0, at))) at--;
  const folder = place.slice(0, at);
  const known = [toPlace(WORKSPACE), ...mounts.map(toPlace)]
    .map((root) => [...root, ...place.slice(-1)])
    .filter((place) => isThere(tree, place)).map(toPath);
  const near = at === 0
    ? []
    : nearest(place[at] ?? "", namesOf(tree, folder), { most: MOST_NAMED })
      .map((name) => toPath([...folder, name]));
  const places = [...new Set([...known, ...near])].slice(0, MOST_NAMED);
  const own = namesOf(tree, toPlace(WORKSPACE));
  const told = [
    ...(at < place.length - 1
      ? [`There is no folder ${shown(toPath(place.slice(0, -1)))}.`]
      : []),
    ...(places.length > 0
      ? [`The nearest are ${listed(places)}.`]
      : own.length > 0
      ? [`${WORKSPACE} has ${listed(own)}.`]
      : []),
    ...(mounts.length > 0 ? [`Folders of the user: ${listed(mounts)}.`] : []),
  ];
  const isOwn = path.startsWith(`${WORKSPACE}/`);
  const isTold = mounts.length > 0 || isOwn && told.length > 0;
  return [...(isTold ? [] : [CANNOT_RUN.files.says]), ...told].join(" ");
}

function isFolder(tree: Pick<Tree, "stat">, place: Place): boolean {
  return place.length === 0 || kindOf(tree, place) === "folder";
}

function isThere(tree: Pick<Tree, "stat">, place: Place): boolean {
  return kindOf(tree, place) !== undefined;
}

function kindOf(tree: Pick<Tree, "stat">, place: Place) {
  try {
    return tree.stat(place).kind;
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
  }
}

function namesOf(tree: Pick<Tree, "list">, place: Place): string[] {
  try {
    return tree.list(place).slice(0, MOST_READ).map(({ name }) => name)
      .filter((name) => !name.startsWith(".")).sort();
  } catch (error) {
    if (error instanceof FileFault) return [];
    throw error;
  }
}

function listed(names: readonly string[]): string {
  const more = names.length > MOST_NAMED
    ? ` and ${names.length - MOST_NAMED} more`
    : "";
  return names.slice(0, MOST_NAMED).map(shown).join(", ") + more;
}

function shown(name: string): string {
  // Other characters could pass for a line of the error.
  const text = name.replace(/[\p{C}\u2028\u2029]/gu, "?");
  return text.length <= LONGEST
    ? text
    : `${text.slice(0, LONGEST / 2)}…${text.slice(-LONGEST / 2)}`
      .toWellFormed();
}
