/// <reference lib="dom" />
import type { McpClient } from "./mcp_client.ts";

export interface GivenFile {
  path: string;
  /** Absent if it is read in one part. */
  size?: number;
  uri: string;
}

const PART = 4 * 2 ** 20;

/** Reads a file of a run, a large one in parts, and has the browser save it. */
export async function download(
  mcp: Pick<McpClient, "read">,
  { path, size, uri }: GivenFile,
  onProgress: (share: number) => void,
): Promise<void> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const read = async (part: string) => {
    const { text, blob } = await mcp.read(part);
    parts.push(
      blob ? Uint8Array.fromBase64(blob) : new TextEncoder().encode(text),
    );
  };
  if (size === undefined) await read(uri);
  else {
    for (let offset = 0; offset < size || offset === 0; offset += PART) {
      const length = Math.min(PART, size - offset);
      await read(`${uri}?offset=${offset}&length=${length}`);
      onProgress(Math.min(1, (offset + PART) / size));
    }
  }
  save(path.slice(path.lastIndexOf("/") + 1), parts);
}

/** Of no type that a browser would open: a page of Python's would be of our origin. */
const SAFE = "application/octet-stream";

type Save = (name: string, parts: BlobPart[]) => void;

let saveBy: Save = saveByBrowser;

/** Has files saved in another way, as a frame of a chat may save none itself. */
export function saveWith(other: Save): void {
  saveBy = other;
}

/** Has a reader save a file. */
export function save(name: string, parts: BlobPart[]): void {
  saveBy(name, parts);
}

/** Has the browser save it, which a frame without `allow-downloads` may not. */
export function saveByBrowser(name: string, parts: BlobPart[]): void {
  const blob = new Blob(parts, { type: SAFE });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
