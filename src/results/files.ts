import type { ListedFile } from "../protocol/result.ts";
import type { RunFile } from "../protocol/run_files.ts";
import { maybePicture, mimeTypeOf } from "./mime_types.ts";

/** Files of a run that its result names; the rest is counted. */
export const MOST_LISTED = 100;
/** Bytes of text, and of pictures, that a result has within itself. */
const INLINE_TEXT = 4 * 1024;
const INLINE_PICTURES = 512 * 1024;

/** A file that a run wrote, where it can be read from now on. */
export interface KeptFile extends RunFile {
  /** Absent if it was too large to be kept. */
  uri?: string;
}

/** A block of a tool's answer, beside its text. */
export type FileBlock =
  | { type: "image"; data: string; mimeType: string }
  | {
    type: "resource_link";
    uri: string;
    name: string;
    mimeType: string;
    size: number;
  };

/** Lists files, the small texts with what is in them. */
export function toListed(files: readonly KeptFile[]): ListedFile[] {
  let room = INLINE_TEXT;
  return files.slice(0, MOST_LISTED).map(({ path, bytes, uri }) => {
    const text = bytes.length <= room ? maybeText(bytes) : undefined;
    if (text !== undefined) room -= bytes.length;
    return {
      path,
      size: bytes.length,
      mimeType: maybePicture(bytes) ?? mimeTypeOf(path),
      ...(uri === undefined ? {} : { uri }),
      ...(text === undefined ? {} : { text }),
    };
  });
}

/**
 * Small pictures as they are, and links to what else is not in the list.
 *
 * @param hasPictures Whether the run has shown pictures: those that it saved
 * are likely the same, and linked.
 */
export function toFileBlocks(
  files: readonly KeptFile[],
  listed: readonly ListedFile[],
  hasPictures = false,
): FileBlock[] {
  let room = hasPictures ? 0 : INLINE_PICTURES;
  return listed.flatMap((file, index): FileBlock[] => {
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

/** The text that bytes are, if they are such as a person could read. */
export function maybeText(bytes: Uint8Array): string | undefined {
  try {
    const text = decoder.decode(bytes);
    return UNREADABLE.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
// deno-lint-ignore no-control-regex -- these are what is looked for
const UNREADABLE = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;
