import { z } from "../../../deps/zod.ts";
import { messageOf } from "../../errors.ts";
import type { FileBounds, RunFile } from "../../protocol/run_files.ts";
import {
  foldersOfAll,
  toWorkspacePath,
} from "../../protocol/workspace_path.ts";
import { MIB } from "../../units.ts";

export const PATH: z.ZodString = z.string().describe("Below /workspace.");

export const FILE = z.strictObject({
  path: PATH,
  text: z.string().optional(),
  base64: z.string().optional(),
});

type FileArgument = z.output<typeof FILE>;

/** The argument `files`: too many files are refused before each is read. */
export function filesSchema(bounds: FileBounds) {
  const files = z.array(FILE, {
    error:
      'files must be an array of objects such as {"path": "a.txt", "text": "…"}',
  });
  return z.preprocess((given) => {
    if (Array.isArray(given)) refuseTooMany(given.length, bounds);
    return given;
  }, files).prefault([]).describe(
    "Files put into /workspace, the working folder, before the run: text, or base64 for all else.",
  );
}

/**
 * Makes the files of a run from the argument `files`.
 *
 * @throws {TypeError | RangeError} With the file and the remedy.
 */
export function toFiles(
  files: readonly FileArgument[],
  bounds: FileBounds,
): RunFile[] {
  let left = bounds.bytes;
  const made = files.map((file, index) => {
    const one = toFile(file, { what: `files[${index}]`, left, bounds });
    left -= one.bytes.length;
    return one;
  });
  refuseConflicts(made);
  refuseTooMany(countNodes(made), bounds);
  return made;
}

/** Counts files, and the folders that they need. */
export function countNodes(files: readonly RunFile[]): number {
  return files.length + foldersOfAll(files.map(({ path }) => path)).size;
}

interface Room {
  /** The file's name in messages. */
  what: string;
  /** Bytes that the file may have. */
  left: number;
  bounds: FileBounds;
}

/** Makes a file of a run, or throws as `toFiles` does. */
export function toFile(
  { path: given, text, base64 }: FileArgument,
  { what, left, bounds }: Room,
): RunFile {
  let path: string;
  try {
    path = toWorkspacePath(given);
  } catch (error) {
    throw new RangeError(`${what}: ${messageOf(error)}`);
  }
  const name = `${what} "${path}"`;
  if ((text === undefined) === (base64 === undefined)) {
    const has = text === undefined ? "neither" : "both";
    throw new TypeError(
      `${name} has ${has} of text and base64: give it one of them`,
    );
  }
  // A character has at least one byte; large contents are not read.
  refuseTooLarge(
    text?.length ?? Math.floor((base64 ?? "").trim().length * 3 / 4) - 2,
  );
  const bytes = text === undefined
    ? fromBase64(base64 ?? "", name)
    : new TextEncoder().encode(text);
  refuseTooLarge(bytes.length);
  return { path, bytes };

  function refuseTooLarge(size: number): void {
    if (size <= left) return;
    const beside = bounds.bytes > left ? "with those before it, " : "";
    const most = `${bounds.bytes / MIB} MiB (--max-files-size)`;
    throw new RangeError(
      `${name} is too large: ${beside}files may have ${most}`,
    );
  }
}

function fromBase64(base64: string, name: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(base64);
  } catch (error) {
    const remedy = base64.startsWith("data:")
      ? "leave out what stands before the comma"
      : "send plain text as text";
    throw new TypeError(
      `${name} has wrong base64 (${messageOf(error)}): ${remedy}`,
    );
  }
}

function refuseTooMany(count: number, bounds: FileBounds): void {
  if (count <= bounds.count) return;
  throw new RangeError(
    `files has ${count} files and folders, and may have ${bounds.count}: send fewer, or an archive of them`,
  );
}

function refuseConflicts(files: readonly RunFile[]): void {
  const paths = new Set<string>();
  for (const { path } of files) {
    if (paths.has(path)) {
      throw new RangeError(
        `files has "${path}" twice: give each file a path of its own`,
      );
    }
    paths.add(path);
  }
  const folder = paths.intersection(foldersOfAll(paths)).keys().next().value;
  if (folder === undefined) return;
  const path = files.find(({ path }) => path.startsWith(`${folder}/`))?.path;
  throw new RangeError(
    `files has "${folder}" as a file, and "${path}" needs it as a folder: rename one of them`,
  );
}
