import { join } from "node:path";
import type {
  KeeperBounds,
  Place,
  Space,
} from "../protocol/keeper_messages.ts";
import { ignoreAbsent } from "../disk.ts";
import { Share } from "../shares.ts";
import { MIB } from "../units.ts";
import { nameOf, ownerName } from "./value_file.ts";

/** A file in the folder, by its name alone. */
export interface ValueFile {
  name: string;
  owner: string;
  space: string;
  bytes: number;
  /** Time of its last use, or of its write. */
  used: number;
  /** Another file of the name has another. */
  stamp?: string;
  isDraft?: boolean;
}

/** A value that is not kept as there would be too much. */
export class FullError extends Error {}

/** The files of values; of any other name there may be files, which are left alone. */
const VALUE = /^([0-9a-f]{32})\.([a-z]+)\.[0-9a-f]{32}\.value$/;

/** The rules of a space, and its words for the user. */
interface Rules {
  plural: string;
  remedy: string;
  /** Whether the least recently used make room for others, or for their like alone. */
  drops?: "all" | "alike";
  /** Whether a damaged value is removed, as it could never be read. */
  heals?: boolean;
  /** The end of a sentence about a value that is too large. */
  tooLarge: string;
}

const LESS = ". Keep less, or in several parts";

export const RULES: Record<Space, Rules> = {
  sessions: {
    plural: "sessions",
    remedy: "--max-stored-sessions",
    drops: "all",
    heals: true,
    tooLarge: " (--memory and --max-files-size, --max-stored-sessions)",
  },
  leases: {
    plural: "sessions that servers have",
    remedy: "the longest unchanged make room",
    drops: "alike",
    heals: true,
    tooLarge: "",
  },
  servers: {
    plural: "servers",
    remedy: "the longest unchanged make room",
    drops: "alike",
    heals: true,
    tooLarge: "",
  },
  tools: {
    plural: "saved tools",
    remedy: "delete_saved_tool(name) removes one",
    tooLarge: LESS,
  },
  memory: {
    plural: "memories",
    remedy: "delete_memory(key) removes one",
    tooLarge: LESS,
  },
  artifacts: {
    plural: "artifacts",
    remedy: "artifacts.delete(name) removes one",
    tooLarge: LESS,
  },
  // They can be asked for anew.
  catalog: {
    plural: "tool lists",
    remedy: "the oldest make room",
    drops: "all",
    tooLarge: LESS,
  },
};

/**
 * Finds room for a file of so many bytes beside the others; gives the names of files
 * that have to make room for it: the least recently used of spaces that drop values.
 *
 * @throws {FullError} If there is no room.
 */
export function findRoom(
  place: Place,
  bytes: number,
  files: readonly ValueFile[],
  bounds: KeeperBounds,
): string[] {
  const { space } = place;
  const [name, owner] = [nameOf(place), ownerName(place.owner)];
  const others = files.filter((file) => file.name !== name);
  const oldest = others
    .filter((file) => !file.isDraft && RULES[file.space as Space]?.drops)
    .sort((one, other) => one.used - other.used);
  const droppable = oldest
    .filter((file) => RULES[file.space as Space].drops === "all");
  const dropped: ValueFile[] = [];
  const isKept = (file: ValueFile) => !dropped.includes(file);
  const sum = (some: ValueFile[]) =>
    some.filter(isKept).reduce((total, file) => total + file.bytes, bytes);
  const count = (some: ValueFile[]) => some.filter(isKept).length + 1;
  const own = others.filter((file) => file.owner === owner);
  const alike = own.filter((file) => file.space === space);
  const { values = 0 } = bounds.spaces[space] ?? {};
  const { plural, remedy } = RULES[space];
  const ofSpace = oldest.filter((file) => alike.includes(file));

  fit(
    ofSpace,
    () => count(alike) <= values,
    `there are ${alike.length} ${plural}, and may be ${values}: ${remedy}`,
  );
  if (bounds.ownerBytes < bounds.totalBytes) {
    fit(
      ofSpace,
      () => sum(own) <= bounds.ownerBytes,
      `all that is kept here may have ${shown(bounds.ownerBytes)}: ${remedy}`,
    );
  }
  fit(
    droppable,
    () =>
      sum(others) <= bounds.totalBytes && count(others) <= bounds.totalValues,
    space === "sessions"
      ? `those that are being stored take more than ${remedy}`
      : `the folder of --state-dir may hold ${bounds.totalValues} values and ${
        shown(bounds.totalBytes)
      } of all clients: ${remedy}`,
  );
  return dropped.map(({ name }) => name);

  /** Drops files until it fits: the oldest of the owner that has most. */
  function fit(some: ValueFile[], fits: () => boolean, reason: string): void {
    const share = new Share(Infinity);
    for (const file of some.filter(isKept)) {
      share.hold({
        ...{ caller: file.owner, amount: file.bytes, rest: () => "idle" },
        giveWay: () => dropped.push(file),
      });
    }
    while (!fits()) {
      const one = share.victim(owner, bytes);
      if (!one) throw new FullError(reason);
      share.drop(one);
      one.giveWay?.();
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
    const file = unlessAbsent(() => Deno.lstatSync(join(folder, name)));
    if (!file || file.isDirectory) continue;
    const { size: bytes, ino, ctime } = file;
    const used = Number(file.mtime);
    const stamp = [ino, bytes, used, Number(ctime)].join(" ");
    files.push({ name, owner, space, bytes, used, stamp });
  }
  return files;
}

/** None in a folder that its user has removed. */
function namesIn(folder: string): string[] {
  const entries = unlessAbsent(() => [...Deno.readDirSync(folder)]) ?? [];
  return entries.map(({ name }) => name);
}

function unlessAbsent<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    return ignoreAbsent(error);
  }
}

function shown(bytes: number): string {
  return bytes % MIB === 0 ? `${bytes / MIB} MiB` : `${bytes} bytes`;
}
