import type { ContentBlock } from "../../deps/mcp_server.ts";
import type { ListedFile } from "../protocol/run_result.ts";
import type { RunFile } from "../protocol/run_files.ts";
import { maybePicture, mimeTypeOf } from "./mime_types.ts";

/** Files of a run that its result names; the rest is counted. */
const MOST_LISTED = 100;
/** Bytes of their names, which a result has in up to four places. */
const NAMES_ROOM = 64 * 1024;
/** Bytes of text, and of pictures, that a result has within itself. */
const INLINE_TEXT = 4 * 1024;
const INLINE_PICTURES = 512 * 1024;

/** A file that a run wrote; its address is undefined if it was not kept. */
export type KeptFile = RunFile & {
  uri?: string;
  /** Its place among all files that are kept: those of later runs come first. */
  order?: string;
};

/** @param file.bytes The first bytes at least; then `size` is that of the file. */
export function describeFile(
  { path, bytes, size = bytes.length }: RunFile & { size?: number },
) {
  const mimeType = maybePicture(bytes) ?? mimeTypeOf(path);
  return { path, size, mimeType };
}

export function toListed(files: readonly KeptFile[]): ListedFile[] {
  let room = INLINE_TEXT;
  const bounds = { count: MOST_LISTED, room: NAMES_ROOM };
  return firstOf(files, bounds).map((file) => {
    const { bytes, uri } = file;
    const text = bytes.length <= room ? maybeText(bytes) : undefined;
    if (text !== undefined) room -= bytes.length;
    return {
      ...describeFile(file),
      ...(uri === undefined ? {} : { uri }),
      ...(text === undefined ? {} : { text }),
    };
  });
}

/** The first files whose names and addresses, as JSON, have room in an answer. */
export function firstOf<File extends { path: string; uri?: string }>(
  files: readonly File[],
  { count, room }: { count: number; room: number },
): File[] {
  let left = room;
  const end = files.slice(0, count).findIndex(({ path, uri = "" }) =>
    (left -= lengthAsJson(path) + uri.length) < 0
  );
  return files.slice(0, end < 0 ? count : Math.max(end, 1));
}

/**
 * Blocks of small pictures, and links to files whose text is not in the list. If
 * the run has shown pictures, those that it saved are likely the same: links.
 */
export function toFileBlocks(
  files: readonly KeptFile[],
  listed: readonly ListedFile[],
  hasPictures = false,
): ContentBlock[] {
  let room = hasPictures ? 0 : INLINE_PICTURES;
  return listed.flatMap((file, index): ContentBlock[] => {
    const { path: name, uri, mimeType, size, text } = file;
    const bytes = files[index]?.bytes;
    if (bytes && size <= room && maybePicture(bytes) === mimeType) {
      room -= size;
      return [{ type: "image", data: bytes.toBase64(), mimeType }];
    }
    if (uri === undefined || text !== undefined) return [];
    return [{ type: "resource_link", uri, name, mimeType, size }];
  });
}

/**
 * The text of bytes; undefined if a person could not read it, or if it is longer
 * as JSON, where a byte can become six.
 */
export function maybeText(
  bytes: Uint8Array,
  longest = Infinity,
): string | undefined {
  // The start tells of most files, and spares the decoding of all.
  if (UNREADABLE.test(String.fromCharCode(...bytes.subarray(0, START)))) {
    return undefined;
  }
  try {
    const text = decoder.decode(bytes);
    const isText = !UNREADABLE.test(text) &&
      (longest === Infinity ||
        bytes.length + JSON.stringify(text).length - text.length <= longest);
    return isText ? text : undefined;
  } catch {
    return undefined;
  }
}

const START = 1024;

function lengthAsJson(text: string): number {
  return encoder.encode(JSON.stringify(text)).length;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
// deno-lint-ignore no-control-regex -- the search is for control characters
const UNREADABLE = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;
