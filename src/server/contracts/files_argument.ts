import { messageOf } from "../../errors.ts";
import { MIB } from "../../units.ts";
import type { Json } from "../../protocol/run_result.ts";
import { head } from "../../results/cut.ts";
import type { FileBounds, RunFile } from "../../protocol/run_files.ts";
import {
  foldersOfAll,
  toWorkspacePath,
} from "../../protocol/workspace_path.ts";

const KEYS = ["path", "text", "base64"];

/** Describes the argument to a client. */
export const FILES_SCHEMA: Json = {
  type: "array",
  description:
    "Files put into /workspace, the working folder, before the run: text, or base64 for all else.",
  items: {
    type: "object",
    properties: {
      path: { type: "string", description: "Below /workspace." },
      text: { type: "string" },
      base64: { type: "string" },
    },
    required: ["path"],
    additionalProperties: false,
  },
  default: [],
};

/**
 * Reads the files of a call.
 *
 * @throws {TypeError | RangeError} If one cannot be put into the working folder
 * as it is; the message names it, and what would be right.
 */
export function parseFiles(files: unknown, bounds: FileBounds): RunFile[] {
  if (!Array.isArray(files)) {
    throw new TypeError(
      'files must be an array of objects such as {"path": "a.txt", "text": "…"}',
    );
  }
  refuseTooMany(files.length, bounds);
  let left = bounds.bytes;
  const read = files.map((file: unknown, index) => {
    const one = parseFile(file, { what: `files[${index}]`, left, bounds });
    left -= one.bytes.length;
    return one;
  });
  refuseConflicts(read);
  refuseTooMany(countNodes(read), bounds);
  return read;
}

/** Files, and the folders that they need. */
export function countNodes(files: readonly RunFile[]): number {
  return files.length + foldersOfAll(files.map(({ path }) => path)).size;
}

/** What a file is read with. */
export interface FilePlace {
  /** How its caller knows it. */
  what: string;
  /** Bytes that it may have. */
  left: number;
  bounds: FileBounds;
}

/**
 * Reads one file: `{path, text}` or `{path, base64}`.
 *
 * @throws {TypeError | RangeError} If it is none.
 */
export function parseFile(
  file: unknown,
  { what, left, bounds }: FilePlace,
): RunFile {
  if (typeof file !== "object" || file === null || Array.isArray(file)) {
    throw new TypeError(
      `${what} must be an object such as {"path": "a.txt", "text": "…"}`,
    );
  }
  const { path, text, base64, ...more }: Record<string, unknown> = { ...file };
  const [unknownKey] = Object.keys(more);
  if (unknownKey !== undefined) {
    throw new TypeError(
      `${what} has an unknown key "${head(unknownKey, 100)}": it takes ${
        KEYS.join(", ")
      }`,
    );
  }
  const place = readPath(path, what);
  const name = `${what} "${place}"`;
  if ((text === undefined) === (base64 === undefined)) {
    const has = text === undefined ? "neither" : "both";
    throw new TypeError(
      `${name} has ${has} of text and base64: give it one of them`,
    );
  }
  const room = { name, left, bounds };
  if (text !== undefined) return { path: place, bytes: toBytes(text, room) };
  return { path: place, bytes: fromBase64(base64, room) };
}

interface Room {
  name: string;
  left: number;
  bounds: FileBounds;
}

function readPath(path: unknown, what: string): string {
  if (typeof path !== "string") {
    throw new TypeError(`${what} must have a path that is a string`);
  }
  try {
    return toWorkspacePath(path);
  } catch (error) {
    throw new RangeError(`${what}: ${messageOf(error)}`);
  }
}

function toBytes(text: unknown, room: Room): Uint8Array<ArrayBuffer> {
  if (typeof text !== "string") {
    throw new TypeError(
      `${room.name} must have a text that is a string: send other data as base64`,
    );
  }
  // A character has at least one byte.
  refuseTooLarge(text.length, room);
  const bytes = new TextEncoder().encode(text);
  refuseTooLarge(bytes.length, room);
  return bytes;
}

function fromBase64(base64: unknown, room: Room): Uint8Array<ArrayBuffer> {
  if (typeof base64 !== "string") {
    throw new TypeError(`${room.name} must have a base64 that is a string`);
  }
  try {
    refuseTooLarge(Math.floor(base64.trim().length * 3 / 4) - 2, room);
    const bytes = Uint8Array.fromBase64(base64);
    refuseTooLarge(bytes.length, room);
    return bytes;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const remedy = base64.startsWith("data:")
      ? "leave out what stands before the comma"
      : "send plain text as text";
    throw new TypeError(
      `${room.name} has a base64 that is none (${error.message}): ${remedy}`,
    );
  }
}

function refuseTooLarge(size: number, { name, left, bounds }: Room): void {
  if (size <= left) return;
  const limit = `${bounds.bytes / MIB} MiB (--max-files-size)`;
  throw new RangeError(
    bounds.bytes > left
      ? `${name} is too large: with those before it, files may have ${limit}`
      : `${name} is too large: files may have ${limit}`,
  );
}

function refuseTooMany(count: number, bounds: FileBounds): void {
  if (count <= bounds.count) return;
  throw new RangeError(
    `files has ${count} files and folders, and may have ${bounds.count} (--max-files): send fewer, or an archive of them`,
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
