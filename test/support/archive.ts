import { crc32, deflateRawSync } from "node:zlib";
import { concat } from "../../src/protocol/lines.ts";

/** One entry of a zip archive; what is left out is as it should be. */
export interface Member {
  /** Bytes are taken as they are, and said to be UTF-8. */
  path: string | Uint8Array;
  data?: string | Uint8Array;
  /** Whether to compress it. */
  deflate?: boolean;
  /** Size that it says to have, uncompressed. */
  saidSize?: number;
  /** Unix mode, as of a symbolic link. */
  mode?: number;
  /** Whether it says that it is encrypted. */
  encrypted?: boolean;
}

/** A zip archive, however odd. */
export function archive(members: Member[]): Uint8Array<ArrayBuffer> {
  const bodies: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { path, data = "", mode = 0, ...member } of members) {
    const [name, content] = [encode(path), encode(data)];
    const body = member.deflate ? deflateRawSync(content) : content;
    const flags = 0x800 | (member.encrypted ? 1 : 0);
    const size = member.saidSize ?? content.length;
    // Version, flags, compression, 1 January 1980, sizes.
    const common = [
      ...[u16(20), u16(flags), u16(member.deflate ? 8 : 0), u16(0), u16(0x21)],
      ...[u32(crc32(content)), u32(body.length), u32(size)],
      ...[u16(name.length), u16(0)],
    ];
    const local = concat([u32(0x04034b50), ...common, name, body]);
    directory.push(
      ...[u32(0x02014b50), u16(0x314), ...common, u16(0), u16(0), u16(0)],
      ...[u32(mode * 0x10000), u32(offset), name],
    );
    bodies.push(local);
    offset += local.length;
  }
  const count = u16(members.length);
  const index = concat(directory);
  return concat([
    ...[...bodies, index, u32(0x06054b50), u16(0), u16(0), count, count],
    ...[u32(index.length), u32(offset), u16(0)],
  ]);
}

function u16(value: number): Uint8Array {
  return new Uint8Array(Uint16Array.of(value).buffer);
}

function u32(value: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(value).buffer);
}

function encode(text: string | Uint8Array): Uint8Array {
  return typeof text === "string" ? new TextEncoder().encode(text) : text;
}
