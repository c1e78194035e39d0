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

/** The ways to make room, in the words of Python code. */
const REMEDIES: Record<Space, string> = {
  tools: "delete_saved_tool(name) removes a saved tool",
  memory: "delete_memory(key) removes a memory",
  artifacts: "artifacts.delete(name) removes an artifact",
  catalog: "the oldest make room",
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

  fit(
    space === "catalog" ? cached : [],
    () => count(alike) <= values,
    `there are ${alike.length} ${space}, and may be ${values}: ${
      REMEDIES[space]
    }`,
  );
  fit(
    space === "catalog" ? cached : [],
    () => sum(own) <= bounds.ownerBytes,
    `all that is kept here may have ${shown(bounds.ownerBytes)}: ${
      REMEDIES[space]
    }`,
  );
  fit(
    cached,
    () =>
      sum(others) <= bounds.totalBytes && count(others) <= bounds.totalValues,
    `the folder of --state-dir may hold ${bounds.totalValues} values and ${
      shown(bounds.totalBytes)
    } of all clients: ${REMEDIES[space]}`,
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
  for (const { name } of Deno.readDirSync(folder)) {
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

function shown(bytes: number): string {
  return bytes % MIB === 0 ? `${bytes / MIB} MiB` : `${bytes} bytes`;
}
