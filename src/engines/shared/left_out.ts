// The words for files of a run that did not arrive: in the working folder, or back.
import {
  MOST_FOLDERS,
  toWorkspacePath,
} from "../../protocol/workspace_path.ts";

/** Files that are named when they do not arrive; the rest is counted. */
const MOST_NAMED = 10;

export const LEFT_OUT = {
  noRoom: "there is no room for it (--max-files-size)",
  bothKinds: "a path cannot be a file and a folder",
};

/** Lines for stderr; empty if no file was left out. */
export function toLeftOut(
  outcome: "Not put into /workspace" | "Not sent back from /workspace",
  reasons: readonly string[],
): string {
  const lines = reasons.slice(0, MOST_NAMED).map((why) =>
    `${outcome}: ${why}\n`
  );
  const more = reasons.length - lines.length;
  if (more > 0) lines.push(`${outcome}: ${more} more\n`);
  return lines.join("");
}

/** The reason why no client can have a file of this path. */
export function whyNoPath(path: string): string | undefined {
  try {
    if (toWorkspacePath(path) !== path) return `${shown(path)} is not a path`;
  } catch (error) {
    return error instanceof Error ? error.message : `${error}`;
  }
}

/**
 * The reason why no client can have the files of this folder.
 *
 * @param depth The number of folders that a file in it is in.
 */
export function whyNoFolder(path: string, depth: number): string | undefined {
  if (depth <= MOST_FOLDERS) return undefined;
  const why = `${depth} deep, and a file may be in ${MOST_FOLDERS}`;
  return `the folder ${
    shown(path)
  } is ${why}: move it up, or put it into an archive`;
}

export function shown(path: string): string {
  return JSON.stringify(path.length > 100 ? `${path.slice(0, 100)}…` : path);
}
