import { basename } from "node:path";
import { ignoreAbsent, readAt, startSha256 } from "../disk.ts";
import { PIECE_BYTES } from "../protocol/run_files.ts";
import { Damage, type Head, MOST_HEAD, parseHead } from "./value_file.ts";

/** A value's file that is open for reading, and as long as its head says. */
export interface OpenValue extends Disposable {
  head: Head;
  /** Reads up to so many bytes of the value; fewer only at its end. */
  read(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** Times that another server may replace a file while it is opened. */
const TRIES = 100;

/**
 * Opens a value's file, and follows no link; undefined if there is none.
 *
 * @param most Bytes that the value may have.
 * @throws {Damage} If the file is damaged, or is not a file.
 * @throws {RangeError} If it is larger, or another version has written it.
 */
export async function maybeOpenValue(
  path: string,
  most: number,
): Promise<OpenValue | undefined> {
  for (let left = TRIES;; left--) {
    const found = await Deno.lstat(path).catch(ignoreAbsent);
    if (!found) return undefined;
    // A pipe would keep its reader waiting.
    if (!found.isFile) throw new Damage("it is not a file");
    using opened = new DisposableStack();
    const file = await Deno.open(path).catch(ignoreAbsent);
    if (!file) continue;
    opened.use(file);
    const { dev, ino, size } = await file.stat();
    if (dev !== found.dev || ino !== found.ino) {
      if (left > 0) continue;
      throw new Damage("a link has taken its place");
    }
    if (size > MOST_HEAD + most) {
      throw new RangeError(`it has ${size} bytes, and may have ${most}`);
    }
    const start = await readAt(file, 0, Math.min(MOST_HEAD, size));
    const { head, begin } = parseHead(start);
    if (head.name !== basename(path)) {
      throw new Damage("it is the file of another value");
    }
    if (size !== begin + head.bytes) {
      throw new Damage(`it has ${size} bytes, and not those of its head`);
    }
    if (head.bytes > most) {
      throw new RangeError(`it has ${head.bytes} bytes, and may have ${most}`);
    }
    const kept = opened.move();
    return {
      head,
      read: (offset, length) =>
        readAt(
          file,
          begin + offset,
          Math.max(0, Math.min(length, head.bytes - offset)),
        ),
      [Symbol.dispose]: () => kept.dispose(),
    };
  }
}

/** @throws {Damage} If the bytes are not those that were written. */
export async function verify({ head, read }: OpenValue): Promise<void> {
  const sum = startSha256();
  for (let offset = 0; offset < head.bytes;) {
    const piece = await read(offset, PIECE_BYTES);
    if (piece.length === 0) throw new Damage("it ends early");
    sum.update(piece);
    offset += piece.length;
  }
  if (sum.digest("hex") !== head.sha256) {
    throw new Damage("its sha256 is not that of its head");
  }
}
