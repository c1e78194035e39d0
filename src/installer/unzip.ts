import { inflateRawSync } from "node:zlib";

/** Reads the files of a zip archive, as far as wheels go: no zip64. */
export function unzip(
  bytes: Uint8Array,
): [path: string, contents: Uint8Array][] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const u16 = (at: number) => view.getUint16(at, true);
  const u32 = (at: number) => view.getUint32(at, true);
  const text = (at: number, length: number) =>
    new TextDecoder().decode(bytes.subarray(at, at + length));

  let end = bytes.length - 22;
  while (u32(end) !== 0x06054b50) end--;
  const files: [string, Uint8Array][] = [];
  let at = u32(end + 16);
  for (let left = u16(end + 10); left > 0; left--) {
    const path = text(at + 46, u16(at + 28));
    const header = u32(at + 42);
    const start = header + 30 + u16(header + 26) + u16(header + 28);
    const packed = bytes.subarray(start, start + u32(at + 20));
    const contents = u16(at + 10) === 0 ? packed : inflateRawSync(packed);
    if (!path.endsWith("/")) files.push([path, contents]);
    at += 46 + u16(at + 28) + u16(at + 30) + u16(at + 32);
  }
  return files;
}
