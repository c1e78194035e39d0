import { passTurn, type StoredBytes, TURN } from "./worker/stored_bytes.ts";

/** Fits into a processor's cache. */
const WINDOW = 512 * 1024;

/**
 * Serves the bytes of a file to workers, one after another, so that no process keeps
 * them in memory beside its interpreter.
 */
export async function serveFile(path: string): Promise<StoredBytes> {
  const file = await Deno.open(path);
  const { size } = await file.stat();
  const window = new Uint8Array(new SharedArrayBuffer(WINDOW));
  const turn = new Int32Array(new SharedArrayBuffer(8));
  const serve = async () => {
    while (true) {
      await Atomics.waitAsync(turn, 0, TURN.worker).value;
      const place = Atomics.load(turn, 1);
      readFully(file, place, window.subarray(0, Math.max(0, size - place)));
      passTurn(turn, TURN.worker);
    }
  };
  // A failure ends this process: its worker would wait for ever.
  serve();
  return { window, turn };
}

/** Reads until the target is full. */
export function readFully(
  file: Deno.FsFile,
  place: number,
  target: Uint8Array,
): void {
  file.seekSync(place, Deno.SeekMode.Start);
  for (let at = 0; at < target.length;) {
    const read = file.readSync(target.subarray(at));
    if (read === null) throw new Error("Cannot read a file: it is cut short");
    at += read;
  }
}
