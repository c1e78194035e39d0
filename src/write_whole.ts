/**
 * Writes a file whole or not at all. A link in its place is replaced, and not
 * followed.
 *
 * @param draft The path of the file until it is whole.
 */
export async function writeWhole(
  path: string,
  data: Uint8Array | string,
  draft = `${path}.${crypto.randomUUID()}.tmp`,
): Promise<void> {
  const bytes = typeof data === "string"
    ? new TextEncoder().encode(data)
    : data;
  try {
    await Deno.writeFile(draft, bytes, { createNew: true });
    await Deno.rename(draft, path);
  } catch (error) {
    await Deno.remove(draft).catch(() => {});
    throw error;
  }
}
