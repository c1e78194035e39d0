import { posix, win32 } from "node:path";
import { reasonOf } from "../../errors.ts";
import type { FoundServer } from "./client_formats/format.ts";
import type { Source } from "./source.ts";
import type { System } from "./system.ts";

/** A file as it was last read. */
export interface ConfiguredFile {
  source: Source;
  /** Stamps of the file, and of those that its entries name. */
  stamps: Map<string, string | undefined>;
  servers: FoundServer[];
  /** The reason why it cannot be read as a whole; its servers are those of before. */
  fault?: string;
}

export type ConfiguredFiles = ReadonlyMap<string, ConfiguredFile>;

/**
 * Gives a function that reads the files of sources, in their order, and once more each
 * that has changed; it returns the same map if none has.
 */
export function openFiles(
  sources: readonly Source[],
  system: System,
  warn: (line: string) => void,
): () => ConfiguredFiles {
  const { dirname, join } = system.os === "windows" ? win32 : posix;
  let files: ConfiguredFiles = new Map();

  /** The paths of a source: its own, or those of the files in its folder. */
  const pathsOf = ({ path }: Source) => {
    const names = system.listFolder(path);
    return names
      ? names.filter((name) => /^[^.].*\.json$/i.test(name)).sort()
        .map((name) => join(path, name))
      : [path];
  };

  const read = (
    path: string,
    source: Source,
    before?: ConfiguredFile,
  ): ConfiguredFile => {
    const stamps = new Map([[path, system.stamp(path)]]);
    const readTextFile = (other: string) => {
      stamps.set(other, system.stamp(other));
      return system.readTextFile(other);
    };
    const hashFile = (other: string) => {
      stamps.set(other, system.stamp(other));
      return system.hashFile(other);
    };
    const folder = source.folder ?? dirname(path);
    const kept = before?.servers ?? [];
    try {
      const text = source.hasNoText ? path : system.readTextFile(path);
      const isEmpty = text.trim() === "";
      // Between two writes of an editor; a new file may well be empty.
      if (isEmpty && kept.length > 0) throw new SyntaxError("it is empty");
      const place = { ...system, path, folder, readTextFile, hashFile };
      const servers = isEmpty ? [] : source.format(text, place);
      return { source, stamps, servers };
    } catch (error) {
      const fault = reasonOf(error);
      const then = kept.length > 0 ? "; its servers stay as they were" : "";
      // Of a file that the user names, the start says it.
      const isTold = source.isNamed && source.path === path && !before;
      if (before?.fault !== fault && !isTold) {
        warn(
          `warning: Cannot read the MCP servers in "${path}": ${fault}${then}.`,
        );
      }
      return { source, stamps, servers: kept, fault };
    }
  };

  return () => {
    const now = new Map<string, ConfiguredFile>();
    for (const source of sources) {
      for (const path of pathsOf(source)) {
        const isThere = source.hasNoText || system.stamp(path) !== undefined;
        if (now.has(path) || !isThere) continue;
        const before = files.get(path);
        const isSame = before &&
          [...before.stamps].every(([name, stamp]) =>
            system.stamp(name) === stamp
          );
        now.set(path, isSame ? before : read(path, source, before));
      }
    }
    const isSame = now.size === files.size &&
      [...now].every(([path, file]) => files.get(path) === file);
    return isSame ? files : files = now;
  };
}
