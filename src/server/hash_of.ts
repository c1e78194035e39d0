/** SHA-256, as hexadecimal digits. */
export async function hashOf(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<string> {
  // `crypto.subtle` takes another thread, which costs more than a short hash. This
  // part of Node loads for 16 ms, which would delay a start.
  const { createHash } = await import("node:crypto");
  return createHash("sha256").update(bytes).digest("hex");
}
