/** The folder that a run works in. */
export const WORKSPACE = "/workspace";

/** Characters of a path. */
export const LONGEST_PATH = 4096;
/** Bytes of a name, as on other systems. */
const LONGEST_NAME = 255;
const encoder = new TextEncoder();

/**
 * Reads a path as a caller writes it, and gives the one form that it has inside:
 * below `/workspace`, without it.
 *
 * @example Three ways to say one path
 * ```ts
 * import { assertEquals } from "../../deps/assert.ts";
 *
 * for (const text of ["a/b", "./a//b", "/workspace/a/b"]) {
 *   assertEquals(toWorkspacePath(text), "a/b");
 * }
 * ```
 *
 * @throws {RangeError} If there is no such file; the message ends a sentence
 * that begins with what it is for.
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
  const long = parts.find((name) => lengthOf(name) > LONGEST_NAME);
  if (long !== undefined) {
    refuse(
      `has a name of ${lengthOf(long)} bytes, and may have ${LONGEST_NAME}`,
    );
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

/** Where a path is for Python. */
export function inWorkspace(path: string): string {
  return `${WORKSPACE}/${path}`;
}

/** The folders that a path needs, outermost first. */
export function foldersOf(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join("/"));
}

function lengthOf(name: string): number {
  return encoder.encode(name).length;
}

function shown(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
