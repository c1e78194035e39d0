/** SHA-256, as hexadecimal digits. */
export async function hashOf(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", bytes);
  return new Uint8Array(hash).toHex();
}
