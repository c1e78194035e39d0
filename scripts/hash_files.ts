/**
 * Sources and artefacts of builds whose results are committed.
 *
 * @module
 */
import { sha256 } from "../src/disk.ts";

/**
 * SHA-256 of files: names and contents, in the order of the names.
 *
 * @param sources Paths from the root; a folder ends with `/`, and stands for all files in it.
 */
export async function hashFiles(
  root: URL,
  sources: { files: readonly string[]; folders: readonly string[] },
): Promise<string> {
  const names = [...sources.files];
  const folders = [...sources.folders];
  for (let folder; (folder = folders.pop()) !== undefined;) {
    for await (
      const { name, isDirectory } of Deno.readDir(new URL(folder, root))
    ) {
      // Python's own: a run of a source makes it.
      if (name === "__pycache__") continue;
      if (isDirectory) folders.push(`${folder}${name}/`);
      else names.push(folder + name);
    }
  }
  const parts: string[] = [];
  for (const name of names.sort()) {
    const bytes = await Deno.readFile(new URL(name, root));
    parts.push(`${name} ${sha256(bytes)}\n`);
  }
  return sha256(new TextEncoder().encode(parts.join("")));
}

/** Compresses an artefact. */
export function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream()
    .pipeThrough(new CompressionStream("gzip"));
  return new Response(stream).bytes();
}

/** Reads an artefact that {@link gzip} compressed. */
export async function gunzip(
  file: string | URL,
): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([await Deno.readFile(file)]).stream()
    .pipeThrough(new DecompressionStream("gzip"));
  return await new Response(stream).bytes();
}
