import { posix, win32 } from "node:path";
import { reasonOf } from "../../errors.ts";
import {
  type FileContents,
  type FoundServer,
  readContents,
} from "./formats/format.ts";
import type { Source } from "./sources.ts";
import type { System } from "./system.ts";

/** The files of sources, each read once more when it has changed. */
export interface ConfiguredFiles {
  /** Reads what has changed; the number is another one if anything has. */
  refresh(): number;
  /** All entries, in the order of their sources. */
  found(): { client: string; found: FoundServer }[];
  faults(): { path: string; reason: string }[];
  /** The reason why a source's own path gives no entries; undefined if it could. */
  whyUnreadable(path: string): string | undefined;
}

/** A file as it was last read. */
interface KnownFile {
  source: Source;
  /** Stamps of the file, and of those that its entries name. */
  stamps: Map<string, string | undefined>;
  servers: FoundServer[];
  fault?: string;
}

export function openFiles(
  sources: readonly Source[],
  system: System,
  warn: (line: string) => void,
): ConfiguredFiles {
  const { join } = system.os === "windows" ? win32 : posix;
  let files = new Map<string, KnownFile>();
  let version = 0;

  /** The paths of a source: its own, or those of the files in its folder. */
  const pathsOf = ({ path }: Source) => {
    const names = system.listFolder(path);
    return names
      ? names.filter((name) => /^[^.].*\.json$/i.test(name)).sort()
        .map((name) => join(path, name))
      : [path];
  };

  const read = (path: string, source: Source, before?: KnownFile) => {
    const stamps = new Map([[path, system.stamp(path)]]);
    const readTextFile = (other: string) => {
      stamps.set(other, system.stamp(other));
      return system.readTextFile(other);
    };
    const contents = readFile(path, { source, system, readTextFile });
    if (contents.fault === undefined) return { source, stamps, ...contents };
    const { fault } = contents;
    const kept = before?.servers ?? [];
    if (fault === EMPTY && kept.length === 0) {
      return { source, stamps, servers: [] };
    }
    const then = kept.length > 0 ? "; its servers stay as they were" : "";
    // Of a file that the user names, the start says it.
    const isTold = source.isNamed && source.path === path && !before;
    if (before?.fault !== fault && !isTold) {
      warn(
        `warning: Cannot read the MCP servers in "${path}": ${fault}${then}.`,
      );
    }
    return { source, stamps, servers: kept, fault };
  };

  return {
    refresh() {
      const now = new Map<string, KnownFile>();
      let hasChanged = false;
      for (const source of sources) {
        for (const path of pathsOf(source)) {
          if (now.has(path) || system.stamp(path) === undefined) continue;
          const before = files.get(path);
          const isSame = before &&
            [...before.stamps].every(([name, stamp]) =>
              system.stamp(name) === stamp
            );
          now.set(path, isSame ? before : read(path, source, before));
          hasChanged ||= !isSame;
        }
      }
      if (hasChanged || now.size !== files.size) version++;
      files = now;
      return version;
    },
    found: () =>
      [...files.values()].flatMap(({ source: { client }, servers }) =>
        servers.map((found) => ({ client, found }))
      ),
    faults: () =>
      [...files].flatMap(([path, { fault }]) =>
        fault === undefined ? [] : [{ path, reason: fault }]
      ),
    whyUnreadable(path) {
      if (system.stamp(path) === undefined) return "it does not exist";
      return files.get(path)?.fault;
    },
  };
}

function readFile(
  path: string,
  { source, system, readTextFile }: {
    source: Source;
    system: System;
    readTextFile: System["readTextFile"];
  },
): FileContents {
  const { dirname } = system.os === "windows" ? win32 : posix;
  let text: string;
  try {
    text = system.readTextFile(path);
  } catch (error) {
    return { servers: [], fault: reasonOf(error) };
  }
  const folder = source.folder ?? dirname(path);
  // Between two writes of an editor; a new file may well be empty.
  if (text.trim() === "") return { servers: [], fault: EMPTY };
  const place = { ...system, path, folder, readTextFile };
  return readContents(source.format, text, place);
}

const EMPTY = "it is empty";
