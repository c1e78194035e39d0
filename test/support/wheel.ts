import { createHash } from "node:crypto";
import { archive, type Member } from "./archive.ts";

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
  /** Tag that its WHEEL names, if another. */
  tagInside?: string;
  /** What is in its archive behind all else. */
  members?: Member[];
  /** Number of the build. */
  build?: string;
  /** Versions of Python that it says it is for; an index says so, too. */
  requiresPython?: string;
  /** Makes of its METADATA something else. */
  spoil?: (metadata: string) => string | Uint8Array<ArrayBuffer>;
}

/** A wheel, or another file of an index. */
export interface IndexFile {
  project: string;
  version: string;
  filename: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** What an index serves as its METADATA. */
  metadata?: string | Uint8Array<ArrayBuffer>;
  /** What the index says that `bytes` hash to, if not the truth. */
  sha256?: string;
  /** What the index says of it beside that. */
  says?: IndexSays;
}

/** What an index can say of a file (PEP 691). */
export interface IndexSays {
  "requires-python"?: string;
  yanked?: string | boolean;
  /** In place of the true ones. */
  filename?: string;
  size?: number;
  hashes?: Record<string, string>;
  "core-metadata"?: boolean | { sha256: string };
}

/** Makes a real wheel, in memory. */
export function wheel(spec: WheelSpec): IndexFile {
  const { name, version = "1.0", tag = "py3-none-any" } = spec;
  const { requires = [], extras = [], requiresPython } = spec;
  const { spoil = (text) => text } = spec;
  const module = name.replaceAll("-", "_");
  const info = `${module}-${version}.dist-info`;
  const metadata = spoil(lines([
    "Metadata-Version: 2.4",
    `Name: ${name}`,
    `Version: ${version}`,
    ...extras.map((extra) => `Provides-Extra: ${extra}`),
    ...requires.map((requirement) => `Requires-Dist: ${requirement}`),
    ...(requiresPython ? [`Requires-Python: ${requiresPython}`] : []),
  ]));
  const members = {
    [`${module}/__init__.py`]: `version = ${JSON.stringify(version)}\n`,
    ...spec.files,
    [`${info}/METADATA`]: metadata,
    [`${info}/WHEEL`]: lines([
      "Wheel-Version: 1.0",
      "Root-Is-Purelib: true",
      `Tag: ${spec.tagInside ?? tag}`,
    ]),
  };
  const record = Object.entries(members).map(([path, text]) =>
    `${path},sha256=${hash(text, "base64url")},${encode(text).length}`
  );
  return {
    project: name,
    version,
    metadata,
    filename: `${
      [module, version, ...(spec.build ? [spec.build] : []), tag].join("-")
    }.whl`,
    ...(requiresPython ? { says: { "requires-python": requiresPython } } : {}),
    bytes: archive([
      ...Object.entries({
        ...members,
        [`${info}/RECORD`]: lines([...record, `${info}/RECORD,,`]),
      }).map(([path, data]) => ({ path, data })),
      ...(spec.members ?? []),
    ]),
  };
}

/** SHA-256, as hex if nothing else is said. */
export function hash(
  data: string | Uint8Array,
  form: "hex" | "base64url" = "hex",
): string {
  return createHash("sha256").update(data).digest(form);
}

function lines(texts: string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}

function encode(text: string | Uint8Array): Uint8Array {
  return typeof text === "string" ? new TextEncoder().encode(text) : text;
}
