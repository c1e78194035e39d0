import { posix, win32 } from "node:path";
import { isWithin } from "../../grants/is_within.ts";
import type { Mount } from "../../grants/mounts.ts";
import type { ServerEntry } from "../../protocol/downstream.ts";
import type { System } from "./system.ts";
import { transportOf } from "./transports/transport.ts";

/**
 * Says why a file may not say, or be, what this machine runs: Python can write it
 * in a mount. Undefined if Python cannot.
 */
export type WhyWritten = (path: string) => string | undefined;

/** @param mounts Of the sandbox. */
export function whyWritten(
  mounts: readonly Mount[],
  system: Pick<System, "os" | "realPath">,
): WhyWritten {
  const { dirname } = system.os === "windows" ? win32 : posix;
  const writable = mounts.filter(({ isWritable }) => isWritable);
  return (path) => {
    if (writable.length === 0) return undefined;
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

/** The program of an entry, or a script for it, that Python could write. */
export function findWritten(
  entry: ServerEntry,
  why: WhyWritten,
  system: Pick<System, "os" | "cwd">,
): { path: string; reason: string } | undefined {
  for (const path of transportOf(entry).programs(system)) {
    const reason = why(path);
    if (reason !== undefined) return { path, reason };
  }
}
