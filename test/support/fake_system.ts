import { sha256 } from "../../src/disk.ts";
import { posix, win32 } from "node:path";
import type { System } from "../../src/launcher/downstream/system.ts";

/** A machine whose files are texts that a test can change. */
export interface FakeSystem extends System {
  files: Map<string, string>;
  /** Writes a file, whose stamp changes. */
  write(path: string, text: string): void;
  /** The files that were read, in order. */
  readonly reads: string[];
}

export function fakeSystem(
  files: Record<string, string> = {},
  some: Partial<Pick<System, "os" | "cwd" | "home" | "env">> = {},
): FakeSystem {
  const { os = "linux" } = some;
  const { basename, dirname } = os === "windows" ? win32 : posix;
  const texts = new Map(Object.entries(files));
  const stamps = new Map<string, number>();
  const isFolder = (path: string) =>
    [...texts.keys()].some((file) => dirname(file) === path);
  const reads: string[] = [];
  return {
    ...{ os, cwd: "/srv/app", home: "/home/ada", env: {}, ...some },
    ...{ files: texts, reads },
    write(path, text) {
      texts.set(path, text);
      stamps.set(path, (stamps.get(path) ?? 0) + 1);
    },
    stamp: (path) =>
      texts.has(path)
        ? `${stamps.get(path) ?? 0}`
        : isFolder(path)
        ? "folder"
        : undefined,
    listFolder: (path) =>
      isFolder(path)
        ? [...texts.keys()].filter((file) => dirname(file) === path)
          .map((file) => basename(file))
        : undefined,
    realPath: (path) => path,
    linkAt: () => undefined,
    isProgram: (path) => texts.has(path),
    readTextFile(path) {
      reads.push(path);
      const text = texts.get(path);
      if (text !== undefined) return text;
      throw new Deno.errors.NotFound(`no such file: readfile '${path}'`);
    },
    hashFile(path) {
      const text = texts.get(path);
      if (text !== undefined) return sha256(text);
      throw new Deno.errors.NotFound(`no such file: readfile '${path}'`);
    },
  };
}
