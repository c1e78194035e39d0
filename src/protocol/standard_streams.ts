// Deno's streams of stdin and stdout would take 4 ms of a start to load, and a part
// of each call.
import { writeAll } from "../disk.ts";
import { joinShort } from "./lines.ts";

/** Gives the bytes of stdin, until it ends. */
export async function* readStdin(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const buffer = new Uint8Array(1 << 16);
  for (let size; (size = await Deno.stdin.read(buffer)) !== null;) {
    yield buffer.slice(0, size);
  }
}

/** Bytes of a write that takes several pieces at once. */
const MOST_JOINED = 1 << 16;

let waiting: Uint8Array<ArrayBuffer>[] = [];
let next: Promise<void> | undefined;
let last: Promise<void> = Promise.resolve();

/**
 * Writes bytes to stdout, behind those of earlier calls; fails if one of these has
 * failed. Short pieces that come while another is under way go out in one write.
 */
export function writeStdout(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  waiting.push(bytes);
  return next ??= last = last.then(async () => {
    const pieces = waiting;
    waiting = [];
    next = undefined;
    for (const piece of joinShort(pieces, MOST_JOINED)) {
      await writeAll(Deno.stdout, piece);
    }
  });
}
