// Deno's streams of stdin and stdout would take 4 ms of a start to load, and a part
// of each call.

/** Gives what stdin brings, until it ends. */
export async function* readStdin(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const buffer = new Uint8Array(1 << 16);
  for (let size; (size = await Deno.stdin.read(buffer)) !== null;) {
    yield buffer.slice(0, size);
  }
}

let last: Promise<void> = Promise.resolve();

/** Writes bytes to stdout, behind those of earlier calls; fails if one of these has failed. */
export function writeStdout(bytes: Uint8Array): Promise<void> {
  return last = last.then(async () => {
    for (let at = 0; at < bytes.length;) {
      at += await Deno.stdout.write(bytes.subarray(at));
    }
  });
}
