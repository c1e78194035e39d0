/**
 * Logs go to stderr, everywhere: stdout is for MCP, or for Python.
 *
 * @module
 */
const encoder = new TextEncoder();

/** Writes a line to stderr. */
export function log(text: string): void {
  Deno.stderr.writeSync(encoder.encode(`${text}\n`));
}

/** Writes text to stdout, whole. */
export function print(text: string): void {
  writeAll(Deno.stdout, encoder.encode(text));
}

/** Writes bytes to a stream of this process, whole. */
export function writeAll(
  stream: { writeSync(bytes: Uint8Array): number },
  bytes: Uint8Array,
): void {
  for (let at = 0; at < bytes.length;) {
    at += stream.writeSync(bytes.subarray(at));
  }
}
