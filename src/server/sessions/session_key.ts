/** A session's name in logs and in the store, which does not tell its handle. */
export async function toKey(handle: string): Promise<string> {
  const bytes = new TextEncoder().encode(handle);
  const hash = await crypto.subtle.digest("SHA-256", bytes);
  return new Uint8Array(hash, 0, 16).toHex();
}
