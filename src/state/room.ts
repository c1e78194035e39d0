import { join } from "node:path";
import type { StateBounds } from "../protocol/state_bounds.ts";
import type { Place, Space } from "../protocol/state_messages.ts";
import { MIB } from "../units.ts";
import { nameOf, ownerName } from "./value_file.ts";

/** A file in the folder, by its name alone. */
export interface ValueFile {
  name: string;
  owner: string;
  space: string;
  bytes: number;
  written: number;
}

/** A value that is not kept as there would be too much. */
export class FullError extends Error {}

/** The files of values; of any other name there may be files, which are left alone. */
const VALUE = /^([0-9a-f]{32})\.([a-z]+)\.[0-9a-f]{32}\.value$/;

/** The values of a space, and the way to remove one, in the words of Python code. */
const WORDS: Record<Space, { plural: string; remedy: string }> = {
  tools: {
    plural: "saved tools",
    remedy: "delete_saved_tool(name) removes one",
  },
  memory: { plural: "memories", remedy: "delete_memory(key) removes one" },
  artifacts: {
    plural: "artifacts",
    remedy: "artifacts.delete(name) removes one",
  },
  catalog: { plural: "tool lists", remedy: "the oldest make room" },
};

/**
 * Finds room for a value of so many bytes beside the others; gives the names of
 * files that have to make room for it. These are of the catalog, which can be asked
 * for anew: nothing else is ever dropped.
 *
 * @param drafts Files that are being written.
 * @throws {FullError} If there is no room.
 */
export function findRoom(
  place: Place,
  bytes: number,
  files: readonly ValueFile[],
  bounds: StateBounds,
): string[] {
  const { space, key } = place;
  const [name, owner] = [nameOf(place), ownerName(place.owner)];
  const others = files.filter((file) => file.name !== name);
  const cached = others.filter((file) => file.space === "catalog")
    .sort((one, other) => one.written - other.written);
  const dropped: ValueFile[] = [];
  const isKept = (file: ValueFile) => !dropped.includes(file);
  const sum = (some: ValueFile[]) =>
    some.filter(isKept).reduce((total, file) => total + file.bytes, bytes);
  const count = (some: ValueFile[]) => some.filter(isKept).length + 1;
  const own = others.filter((file) => file.owner === owner);
  const alike = own.filter((file) => file.space === space);
  const { values } = bounds.spaces[space];
  const { plural, remedy } = WORDS[space];

  fit(
    space === "catalog" ? cached : [],
    () => count(alike) <= values,
    `there are ${alike.length} ${plural}, and may be ${values}: ${remedy}`,
  );
  fit(
    space === "catalog" ? cached : [],
    () => sum(own) <= bounds.ownerBytes,
    `all that is kept here may have ${shown(bounds.ownerBytes)}: ${remedy}`,
  );
  fit(
    cached,
    () =>
      sum(others) <= bounds.totalBytes && count(others) <= bounds.totalValues,
    `the folder of --state-dir may hold ${bounds.totalValues} values and ${
      shown(bounds.totalBytes)
    } of all clients: ${remedy}`,
  );
  return dropped.map(({ name }) => name);

  /** Drops the oldest of some files until it fits. */
  function fit(some: ValueFile[], fits: () => boolean, reason: string): void {
    const oldest = some.filter(isKept);
    while (!fits()) {
      const file = oldest.shift();
      if (!file) {
        throw new FullError(
          `Cannot keep ${JSON.stringify(key)} in ${space}: ${reason}.`,
        );
      }
      dropped.push(file);
    }
  }
}

/**
 * The files of all values, which other servers may change meanwhile.
 *
 * @param start Text that their names begin with.
 */
export function listFiles(folder: string, start = ""): ValueFile[] {
  const files: ValueFile[] = [];
  for (const name of namesIn(folder)) {
    const [, owner, space] = VALUE.exec(name) ?? [];
    if (!owner || !space || !name.startsWith(start)) continue;
    try {
      const { size, mtime } = Deno.lstatSync(join(folder, name));
      files.push({ name, owner, space, bytes: size, written: Number(mtime) });
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return files;
}

/** None in a folder that its user has removed. */
function namesIn(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

function shown(bytes: number): string {
  return bytes % MIB === 0 ? `${bytes / MIB} MiB` : `${bytes} bytes`;
}
