import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { concat } from "../../src/protocol/lines.ts";

/** A wheel to make; what is left out makes a small package that imports. */
export interface WheelSpec {
  name: string;
  version?: string;
  /** Contents by path. */
  files?: Record<string, string>;
  /** Requirements (PEP 508); those of an extra say so in their marker. */
  requires?: string[];
  extras?: string[];
  tag?: string;
  /** Number of the build. */
  build?: string;
  /** Versions of Python that it says it is for; an index says so, too. */
  requiresPython?: string;
  /** Makes of its METADATA something else. */
  spoil?: (metadata: string) => string | Uint8Array;
}

/** A wheel, or another file of an index. */
export interface IndexFile {
  project: string;
  version: string;
  filename: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** What the index says that `bytes` hash to, if not the truth. */
  sha256?: string;
  /** What the index says of it beside that. */
  says?: IndexSays;
}

/** What an index can say of a file (PEP 691). */
export interface IndexSays {
  "requires-python"?: string;
  yanked?: string | boolean;
  /** In place of the true one. */
  hashes?: Record<string, string>;
}

/** Makes a real wheel, in memory. */
export function wheel(spec: WheelSpec): IndexFile {
  const { name, version = "1.0", tag = "py3-none-any" } = spec;
  const { requires = [], extras = [], requiresPython } = spec;
  const { spoil = (text) => text } = spec;
  const module = name.replaceAll("-", "_");
  const info = `${module}-${version}.dist-info`;
  const metadata = [
    "Metadata-Version: 2.4",
    `Name: ${name}`,
    `Version: ${version}`,
    ...extras.map((extra) => `Provides-Extra: ${extra}`),
    ...requires.map((requirement) => `Requires-Dist: ${requirement}`),
    ...(requiresPython ? [`Requires-Python: ${requiresPython}`] : []),
  ];
  const members = {
    [`${module}/__init__.py`]: `version = ${JSON.stringify(version)}\n`,
    ...spec.files,
    [`${info}/METADATA`]: spoil(lines(metadata)),
    [`${info}/WHEEL`]: lines([
      "Wheel-Version: 1.0",
      "Root-Is-Purelib: true",
      `Tag: ${tag}`,
    ]),
  };
  const record = Object.entries(members).map(([path, text]) =>
    `${path},sha256=${hash(text, "base64url")},${encode(text).length}`
  );
  return {
    project: name,
    version,
    filename: `${
      [module, version, ...(spec.build ? [spec.build] : []), tag].join("-")
    }.whl`,
    ...(requiresPython ? { says: { "requires-python": requiresPython } } : {}),
    bytes: zip({
      ...members,
      [`${info}/RECORD`]: lines([...record, `${info}/RECORD,,`]),
    }),
  };
}

/** SHA-256, as hex if nothing else is said. */
export function hash(
  data: string | Uint8Array,
  form: "hex" | "base64url" = "hex",
): string {
  return createHash("sha256").update(data).digest(form);
}

/** A zip archive of files that are not compressed. */
export function zip(
  files: Record<string, string | Uint8Array>,
): Uint8Array<ArrayBuffer> {
  const members: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const [path, text] of Object.entries(files)) {
    const [name, data] = [encode(path), encode(text)];
    // Version, UTF-8 names, no compression, 1 January 1980, sizes.
    const common = [
      ...[u16(20), u16(0x800), u16(0), u16(0), u16(0x21), u32(crc32(data))],
      ...[u32(data.length), u32(data.length), u16(name.length), u16(0)],
    ];
    const member = concat([u32(0x04034b50), ...common, name, data]);
    directory.push(
      ...[u32(0x02014b50), u16(20), ...common, u16(0), u16(0), u16(0)],
      ...[u32(0), u32(offset), name],
    );
    members.push(member);
    offset += member.length;
  }
  const count = u16(members.length);
  const index = concat(directory);
  return concat([
    ...[...members, index, u32(0x06054b50), u16(0), u16(0), count, count],
    ...[u32(index.length), u32(offset), u16(0)],
  ]);
}

function u16(value: number): Uint8Array {
  return new Uint8Array(Uint16Array.of(value).buffer);
}

function u32(value: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(value).buffer);
}

function lines(texts: string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}

function encode(text: string | Uint8Array): Uint8Array {
  return typeof text === "string" ? new TextEncoder().encode(text) : text;
}
