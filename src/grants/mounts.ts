import { usageError } from "../errors.ts";
/** A folder of this machine that Python sees. */
export interface Mount {
  /** Where it is on this machine: absolute, without symbolic links. */
  host: string;
  /** Where it is for Python: absolute. */
  guest: string;
  /** Whether Python may change what is in it. */
  isWritable: boolean;
}

/** Where the folders are that the user has granted to Python. */
export function mountPlaces(
  mounts: readonly Mount[],
): { mounts: string[]; writableMounts: string[] } {
  const writable = mounts.filter(({ isWritable }) => isWritable);
  return {
    mounts: mounts.map(({ host }) => host),
    writableMounts: writable.map(({ host }) => host),
  };
}

/** The error for a mount that cannot be: `reason` ends a sentence. */
export function refuseMount(text: string, reason: string): Error {
  return usageError(`Cannot mount "${text}" as ${reason}.`);
}
