import { usageError } from "../errors.ts";
import type { Access, PathDenial } from "./guest_grants.ts";
import { isWithin } from "./paths.ts";
import type { ScopePaths } from "./permissions.ts";

/** A folder of this machine that Python sees. */
export interface Mount {
  /** Its path on this machine: absolute, without symbolic links. */
  host: string;
  /** Its path for Python: absolute. */
  guest: string;
  /** Whether Python may change its contents. */
  isWritable: boolean;
  /** Paths below it that stay closed. */
  denied?: readonly PathDenial[];
}

export function mountPlaces(
  mounts: readonly Mount[],
): Required<Pick<ScopePaths, Places>> {
  const writable = mounts.filter(({ isWritable }) => isWritable);
  return {
    mounts: mounts.map(({ host }) => host),
    writableMounts: writable.map(({ host }) => host),
    deniedReads: deniedIn(mounts, "read"),
    deniedWrites: deniedIn(writable, "write"),
  };
}

type Places = "mounts" | "writableMounts" | "deniedReads" | "deniedWrites";

function deniedIn(mounts: readonly Mount[], access: Access): string[] {
  const denied = mounts.flatMap(({ denied = [] }) => denied)
    .filter((path) => path.access.includes(access));
  return [...new Set(denied.map(({ host }) => host))];
}

/** Whether denials close a path as a whole. */
export function isDenied(
  path: string,
  access: Access,
  denials: readonly PathDenial[],
  system: { os: string },
): boolean {
  return denials.some((denied) =>
    denied.access.includes(access) && isWithin(path, denied.host, system)
  );
}

/** Whether a path is one that a folder can have for its guest. */
export function isGuestPath(path: string): boolean {
  const names = path.split("/").slice(1);
  return path.startsWith("/") && path.length <= 200 && !/[\\\0:,]/.test(path) &&
    names.every((name) => !["", ".", ".."].includes(name));
}

/** The error for a mount that is not possible; `reason` completes the sentence. */
export function refuseMount(text: string, reason: string): Error {
  return usageError(`Cannot mount "${text}" as ${reason}.`);
}
