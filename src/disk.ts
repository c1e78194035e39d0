// Files, for all processes. It imports nothing: it is a part of each start.
import type { createHash, Hash } from "node:crypto";

/**
 * Writes a file whole or not at all. A link in its place is replaced, and not
 * followed.
 *
 * @param draft The path of the file until it is whole.
 */
export async function writeWhole(
  path: string,
  data: Uint8Array | string,
  draft = `${path}.${crypto.randomUUID()}.tmp`,
): Promise<void> {
  const bytes = typeof data === "string"
    ? new TextEncoder().encode(data)
    : data;
  try {
    await Deno.writeFile(draft, bytes, { createNew: true });
    await Deno.rename(draft, path);
  } catch (error) {
    await Deno.remove(draft).catch(() => {});
    throw error;
  }
}

/** Writes all bytes: a write may take fewer. */
export async function writeAll(
  file: { write(bytes: Uint8Array): Promise<number> },
  bytes: Uint8Array,
): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    at += await file.write(bytes.subarray(at));
  }
}

/** Reads up to so many bytes; fewer only at the file's end. */
export async function readAt(
  file: Deno.FsFile,
  offset: number,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  await file.seek(offset, Deno.SeekMode.Start);
  const piece = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const size = await file.read(piece.subarray(filled));
    if (size === null) break;
    filled += size;
  }
  return piece.subarray(0, filled);
}

/** Throws an error again, unless a path was not there. */
export function ignoreAbsent(error: unknown): undefined {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

/** Has the disk keep a folder's new names, where the system can. */
export async function syncFolder(path: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  using folder = await Deno.open(path);
  await folder.sync();
}

/** SHA-256, as hexadecimal digits. */
export function sha256(data: string | Uint8Array): string {
  return startSha256().update(data).digest("hex");
}

let create: typeof createHash | undefined;

/**
 * A hash that takes its bytes in pieces. Node's module is loaded at the first use, as
 * it would delay a start by milliseconds; a digest of `crypto.subtle` is another
 * thread's, which costs more than a short text's hash.
 */
export function startSha256(): Hash {
  create ??= process.getBuiltinModule("node:crypto").createHash;
  return create("sha256");
}

/** SHA-256 without Node's module, for a process that needs no other hash. */
export async function sha256Aside(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return new Uint8Array(digest).toHex();
}
