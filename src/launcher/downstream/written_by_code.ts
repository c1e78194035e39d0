import { posix, win32 } from "node:path";
import { isWithin } from "../../grants/is_within.ts";
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
  system: Pick<System, "os" | "realPath">,
): WhyWritten {
  const { dirname } = system.os === "windows" ? win32 : posix;
  const writable = mounts.filter(({ isWritable }) => isWritable);
  return (path, mayHold = false) => {
    if (writable.length === 0) return undefined;
    if (mayHold) {
      const held = system.realPath(path);
      const mount = writable.find(({ host }) => isWithin(host, held, system));
      if (mount) {
        return `the mount of "${mount.host}", which Python writes, is in it`;
      }
    }
    // A link on the way to the file may be in a mount, too.
    for (let place = path;; place = dirname(place)) {
      const real = system.realPath(place);
      const mount = writable.find(({ host }) => isWithin(real, host, system));
      if (mount) {
        return `Python could write it, in the mount of "${mount.host}"`;
      }
      if (dirname(place) === place) return undefined;
    }
  };
}

/** This machine, whose files of a writable mount cannot be read. */
export function withoutWritten(system: System, why: WhyWritten): System {
  return {
    ...system,
    readTextFile(path) {
      const reason = why(path);
      if (reason !== undefined) throw new TypeError(reason);
      return system.readTextFile(path);
    },
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
