// Logs go to stderr, everywhere: stdout is for MCP, or for Python.
const encoder = new TextEncoder();

export function log(text: string): void {
  Deno.stderr.writeSync(encoder.encode(`${text}\n`));
}

export function print(text: string): void {
  writeAll(Deno.stdout, encoder.encode(text));
}

export function writeAll(
  stream: { writeSync(bytes: Uint8Array): number },
  bytes: Uint8Array,
): void {
  for (let at = 0; at < bytes.length;) {
    at += stream.writeSync(bytes.subarray(at));
  }
}
