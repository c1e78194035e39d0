export const WORKSPACE = "/workspace";

export const LONGEST_PATH = 4096;
/** Folders above a file: each costs a step. Real trees (`node_modules`) have up to 30. */
export const MOST_FOLDERS = 100;
/** Bytes of a name, as on other systems. */
export const LONGEST_NAME = 255;
const encoder = new TextEncoder();

/**
 * Reads a path as a caller writes it, and gives the one form that it has inside:
 * below `/workspace`, without it.
 *
 * @throws {RangeError} If no file can have this path; the message ends a
 * sentence that the caller begins.
 */
export function toWorkspacePath(text: string): string {
  const refuse = (reason: string): never => {
    throw new RangeError(`the path ${shown(text)} ${reason}`);
  };
  if (text === "") refuse("is empty: name a file, such as data/in.csv");
  if (text.length > LONGEST_PATH) {
    refuse(`has ${text.length} characters, and may have ${LONGEST_PATH}`);
  }
  if (text.includes("\0")) refuse("has a NUL in it: leave it out");
  if (!text.isWellFormed()) refuse("has half of a surrogate pair in it");
  if (text.includes(REPLACEMENT)) {
    refuse(
      "has U+FFFD in it, the sign for bytes that are not UTF-8: rename it",
    );
  }
  const names = text.split("/");
  if (names.includes("..")) {
    refuse('has ".." in it: name a file below /workspace directly');
  }
  const isBelow = `${text}/`.startsWith(`${WORKSPACE}/`);
  if (text.startsWith("/") && !isBelow) {
    refuse("is outside of /workspace: leave the first / out");
  }
  const parts = (isBelow ? text.slice(WORKSPACE.length) : text).split("/")
    .filter((name) => name !== "" && name !== ".");
  const last = names.at(-1);
  if (parts.length === 0 || last === "" || last === ".") {
    refuse("is a folder: name a file in it");
  }
  const long = parts.find((name) => bytesOfName(name) > LONGEST_NAME);
  if (long !== undefined) {
    refuse(
      `has a name of ${bytesOfName(long)} bytes, and may have ${LONGEST_NAME}`,
    );
  }
  const folders = parts.length - 1;
  if (folders > MOST_FOLDERS) {
    refuse(`is in ${folders} folders, and may be in ${MOST_FOLDERS}`);
  }
  return parts.join("/");
}

/** Whether a text is a path in that one form. */
export function isWorkspacePath(text: string): boolean {
  try {
    return toWorkspacePath(text) === text && !text.startsWith("/");
  } catch {
    return false;
  }
}

/** The folder that a path is in; empty for the working folder itself. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

/**
 * The folders that a path needs beside known folders. Those above a known folder
 * are known: all paths together cost one step for each folder.
 */
export function newFolders(
  known: ReadonlySet<string>,
  path: string,
): string[] {
  const folders: string[] = [];
  for (
    let folder = folderOf(path);
    folder !== "" && !known.has(folder);
    folder = folderOf(folder)
  ) folders.push(folder);
  return folders;
}

/** The folders that paths need, each once. */
export function foldersOfAll(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    for (const folder of newFolders(folders, path)) folders.add(folder);
  }
  return folders;
}

/** A decoder writes it where bytes are not UTF-8: many names become one. */
const REPLACEMENT = "\ufffd";

/** Whether a name is text, so that it is the same for Python and for others. */
export function isTextName(name: string): boolean {
  return name.isWellFormed() && !name.includes(REPLACEMENT);
}

export function bytesOfName(name: string): number {
  return encoder.encode(name).length;
}

function shown(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
