import type { RunFile } from "../../protocol/run_files.ts";
import type { Image, RunResult } from "../../protocol/run_result.ts";
import { ENDINGS } from "../../results/result_images.ts";
import { isHidden } from "./save_files.ts";

/** Files and pictures of a run; hidden files are what libraries keep for later. */
export function toFiles({ written = [], images = [] }: RunResult): RunFile[] {
  const files = written.filter(({ path }) => !isHidden(path));
  const taken = new Set(files.map(({ path }) => path));
  let number = 0;
  for (const image of images) {
    let path;
    do path = toName(image, ++number); while (taken.has(path));
    files.push({ path, bytes: toBytes(image) });
  }
  return files;
}

/** The name of a picture's file. */
export function toName({ mimeType }: Image, number: number): string {
  return `picture-${number}.${ENDINGS[mimeType]}`;
}

export function toBytes({ mimeType, data }: Image): Uint8Array<ArrayBuffer> {
  return mimeType === "image/svg+xml"
    ? new TextEncoder().encode(data)
    : Uint8Array.fromBase64(data);
}

/** A line about files, which are in a folder, if any. */
export function describeFiles(
  files: readonly Pick<RunFile, "path">[],
  out?: string,
): string[] {
  const { length } = files;
  if (length === 0) return [];
  const names = files.slice(0, 3).map(({ path }) => JSON.stringify(path));
  const more = length > names.length ? [`${length - names.length} more`] : [];
  const list = [...names, ...more].join(", ");
  return out === undefined
    ? [`Not kept: ${list}. Keep files and pictures with --out DIR.`]
    : [`In ${out}: ${list}`];
}
