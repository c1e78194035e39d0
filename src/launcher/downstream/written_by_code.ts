import { posix, win32 } from "node:path";
import { isWithin } from "../../grants/paths.ts";
import type { Mount } from "../../grants/mounts.ts";
import type { ServerEntry } from "../../protocol/downstream.ts";
import type { System } from "./system.ts";
import { transportOf } from "./transports/transport.ts";

/**
 * Says why a path may not say, or be, what this machine runs: Python can write it
 * in a mount. Undefined if Python cannot.
 *
 * @param mayHold Whether a folder is a danger, too, if a mount lies below it: a
 *   module that Python writes there hides another of its name.
 */
export type WhyWritten = (
  path: string,
  mayHold?: boolean,
) => string | undefined;

/** @param mounts Of the sandbox. */
export function whyWritten(
  mounts: readonly Mount[],
  system: Pick<System, "os" | "realPath" | "linkAt">,
): WhyWritten {
  const rules = system.os === "windows" ? win32 : posix;
  const writable = mounts.filter(({ isWritable }) => isWritable);
  return (path, mayHold = false) => {
    if (writable.length === 0) return undefined;
    if (mayHold) {
      const held = system.realPath(rules.normalize(path));
      const folders = [
        held,
        ...foldersOf(held).map((folder) => rules.join(folder, "node_modules")),
      ];
      const mount = writable.find(({ host }) =>
        folders.some((folder) => isWithin(host, folder, system))
      );
      if (mount) {
        return `the mount of "${mount.host}", which Python writes, is in it`;
      }
    }
    // Some programs make a path simple before they follow its links.
    const places = [path, rules.normalize(path)].flatMap(placesOn);
    const mount = writable.find(({ host }) =>
      isNamed(host, path) ||
      places.some((place) =>
        isWithin(place, host, system) ||
        isWithin(system.realPath(place), host, system)
      )
    );
    return mount && `Python could write it, in the mount of "${mount.host}"`;
  };

  /** All that the system looks at on the way: Python could replace a link, too. */
  function placesOn(path: string): string[] {
    const { root } = rules.parse(path);
    const left = path.slice(root.length).split(rules.sep).reverse();
    const places: string[] = [];
    let place = root;
    let links = 0;
    for (let name; (name = left.pop()) !== undefined;) {
      const next = rules.join(place, name);
      places.push(next);
      const target = links < MOST_LINKS ? system.linkAt(next) : undefined;
      if (target === undefined) {
        place = next;
        continue;
      }
      links++;
      const start = rules.parse(target).root;
      if (start !== "") place = start;
      left.push(...target.slice(start.length).split(rules.sep).reverse());
    }
    return places;
  }

  function foldersOf(path: string): string[] {
    const folder = rules.dirname(path);
    return folder === path ? [folder] : [folder, ...foldersOf(folder)];
  }
}

/** Links on the way to a file, of which Linux follows as many. */
const MOST_LINKS = 40;

/** Whether a text has a path in it, which may have spaces. */
function isNamed(path: string, text: string): boolean {
  const parts = text.split(path);
  return parts.slice(1).some((after, at) =>
    !/[\w.-]$/.test(parts[at] ?? "") && !/^[\w.-]/.test(after)
  );
}

/** This machine, whose files of a writable mount cannot be read: nor be listed, as there may be thousands. */
export function withoutWritten(system: System, why: WhyWritten): System {
  return {
    ...system,
    listFolder: (path) =>
      why(path) === undefined ? system.listFolder(path) : undefined,
    readTextFile(path) {
      const reason = why(path);
      if (reason !== undefined) throw new TypeError(reason);
      return system.readTextFile(path);
    },
    // An entry of such a file is skipped, with a word of its own.
    hashFile: system.hashFile,
  };
}

/** Says which path of an entry Python could write; undefined if there is none. */
export function findWritten(
  entry: ServerEntry,
  why: WhyWritten,
  system: System,
): string | undefined {
  for (const { what, path, mayHold } of transportOf(entry).takes(system)) {
    const reason = why(path, mayHold);
    if (reason !== undefined) return `${what} is "${path}", and ${reason}`;
  }
}
