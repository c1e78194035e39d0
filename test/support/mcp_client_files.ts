import { fileURLToPath } from "node:url";
import { assert } from "../../deps/assert.ts";
import { reasonOf } from "../../src/errors.ts";
import type {
  FilePlace,
  Format,
  FoundServer,
  Skip,
} from "../../src/launcher/downstream/client_formats/format.ts";

const FIXTURES = new URL("../fixtures/mcp_clients/", import.meta.url);

/** The text of a file as a client writes it. */
export function clientFile(name: string): string {
  return Deno.readTextFileSync(fileURLToPath(new URL(name, FIXTURES)));
}

/** A machine on which the file of a client lies in `/srv/app`. */
export function filePlace(some: Partial<FilePlace> = {}): FilePlace {
  return {
    ...{ path: "/f", folder: "/srv/app", cwd: "/srv/app", home: "/home/ada" },
    ...{ os: "linux", env: {} },
    readTextFile(path) {
      throw new Deno.errors.NotFound(`no such file: readfile '${path}'`);
    },
    hashFile(path) {
      throw new Deno.errors.NotFound(`no such file: readfile '${path}'`);
    },
    ...some,
  };
}

/** The contents of a file, or the reason why it cannot be read: no fault of ours. */
export function readContents(
  format: Format,
  text: string,
  place: FilePlace,
): { servers: FoundServer[]; fault?: string } {
  try {
    return { servers: format(text, place) };
  } catch (error) {
    assert(error instanceof SyntaxError || error instanceof RangeError);
    return { servers: [], fault: reasonOf(error) };
  }
}

/** The entries of a text by name, without their sources, and those skipped. */
export function readEntries(
  format: Format,
  text: string,
  some: Partial<FilePlace> = {},
) {
  const { servers, fault } = readContents(format, text, filePlace(some));
  const entries: Record<string, unknown> = {};
  const notes: Record<string, string[]> = {};
  const skipped: Record<string, Skip> = {};
  for (const found of servers) {
    if (!("entry" in found)) {
      const { name, source: _, ...skip } = found;
      skipped[name] = skip;
      continue;
    }
    const { name, source: _, ...entry } = found.entry;
    entries[name] = entry;
    if (found.notes.length > 0) notes[name] = found.notes;
  }
  return { entries, skipped, notes, fault, names: Object.keys(entries) };
}

/** The reasons of entries that are skipped, by name. */
export function reasonsOf(skipped: Record<string, Skip>) {
  return Object.fromEntries(
    Object.entries(skipped).map(([name, { reason }]) => [name, reason]),
  );
}
