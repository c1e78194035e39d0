import { join } from "node:path";
import { sha256 } from "../disk.ts";
import { fields, is } from "../protocol/fields.ts";
import type { Translation } from "./translate.ts";

/** The name, the length and the hash of each part of a slot's file. */
interface Part {
  name: string;
  length: number;
  sha256: string;
}

const FILE = "translation";
const encoder = new TextEncoder();

/**
 * Reads the translation that an earlier process has left in its component's folder;
 * undefined if there is none, or it is not whole.
 */
export async function maybeTranslation(
  slot: string,
): Promise<Translation | undefined> {
  try {
    const whole = await Deno.readFile(join(slot, FILE));
    const end = whole.indexOf(10);
    const head = fields(JSON.parse(
      new TextDecoder().decode(whole.subarray(0, end)),
    ));
    if (!Array.isArray(head.parts)) return undefined;
    let at = end + 1;
    let glue: string | undefined;
    const modules: Translation["modules"] = {};
    for (const one of head.parts) {
      const { name, length, sha256: hash } = fields(one);
      if (!is.text(name) || !is.count(length)) return undefined;
      const bytes = whole.subarray(at, at += length);
      if (sha256(bytes) !== hash) return undefined;
      if (glue === undefined) glue = new TextDecoder().decode(bytes);
      else modules[name] = bytes;
    }
    return glue === undefined ? undefined : { glue, modules };
  } catch {
    return undefined;
  }
}

/** Keeps a translation; processes that do so at a time write the same. */
export async function keepTranslation(
  slot: string,
  { glue, modules }: Translation,
): Promise<void> {
  const contents: [string, Uint8Array<ArrayBuffer>][] = [
    ["", encoder.encode(glue)],
    ...Object.entries(modules),
  ];
  const parts = contents.map(([name, bytes]): Part => ({
    ...{ name, length: bytes.length, sha256: sha256(bytes) },
  }));
  const head = encoder.encode(`${JSON.stringify({ parts })}\n`);
  const draft = join(slot, `${FILE}.${crypto.randomUUID()}`);
  await Deno.mkdir(slot, { recursive: true });
  const blob = new Blob([head, ...contents.map(([, bytes]) => bytes)]);
  try {
    await Deno.writeFile(draft, blob.stream());
    await Deno.rename(draft, join(slot, FILE));
  } catch (error) {
    await Deno.remove(draft).catch(() => {});
    throw error;
  }
}
