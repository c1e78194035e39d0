import { PIECE_BYTES } from "../protocol/run_files.ts";
import {
  Damage,
  type Header,
  HEADER_BYTES,
  parseHeader,
  startHash,
} from "./session_file.ts";

/** A session's file that is open for reading, and as long as its header says. */
export interface OpenSession extends Header, Disposable {
  /** Reads a piece of the body; empty at its end. */
  read(offset: number): Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Opens a session's file, and follows no link; undefined if there is none.
 *
 * @throws {Damage} If the file is damaged, or is not a file.
 * @throws {RangeError} If its body is larger than `mostBytes`, or it is of another
 * version.
 */
export async function maybeOpenSession(
  path: string,
  mostBytes: number,
): Promise<OpenSession | undefined> {
  const found = await Deno.lstat(path).catch(ignoreAbsent);
  if (!found) return undefined;
  // A pipe would keep its reader waiting.
  if (!found.isFile) throw new Damage("it is not a file");
  using opened = new DisposableStack();
  const file = opened.use(await Deno.open(path));
  const { dev, ino, size } = await file.stat();
  if (dev !== found.dev || ino !== found.ino) {
    throw new Damage("a link has taken its place");
  }
  if (size > HEADER_BYTES + mostBytes) {
    throw new RangeError(
      `it has ${size} bytes, which --memory and --max-files-size do not allow`,
    );
  }
  const header = parseHeader(await readAt(file, 0, HEADER_BYTES));
  if (size !== HEADER_BYTES + header.size) {
    throw new Damage(`it has ${size} bytes, and not those of its header`);
  }
  const kept = opened.move();
  return {
    ...header,
    read: (offset) => readAt(file, HEADER_BYTES + offset, PIECE_BYTES),
    [Symbol.dispose]: () => kept.dispose(),
  };
}

/** @throws {Damage} If the body is not the one that was written. */
export async function verify(session: OpenSession): Promise<void> {
  const hash = startHash(session.meta);
  for (let offset = 0; offset < session.size;) {
    const piece = await session.read(offset);
    if (piece.length === 0) throw new Damage("it ends early");
    hash.update(piece);
    offset += piece.length;
  }
  if (hash.digest("hex") !== session.sha256) {
    throw new Damage("its sha256 is not that of its header");
  }
}

export function ignoreAbsent(error: unknown): undefined {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

/** Reads up to so many bytes; fewer only at the file's end. */
async function readAt(
  file: Deno.FsFile,
  offset: number,
  bytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  await file.seek(offset, Deno.SeekMode.Start);
  const piece = new Uint8Array(bytes);
  let filled = 0;
  while (filled < bytes) {
    const size = await file.read(piece.subarray(filled));
    if (size === null) break;
    filled += size;
  }
  return piece.subarray(0, filled);
}
