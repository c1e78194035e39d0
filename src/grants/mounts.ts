import { usageError } from "../errors.ts";

/** A folder of this machine that Python sees. */
export interface Mount {
  /** Its path on this machine: absolute, without symbolic links. */
  host: string;
  /** Its path for Python: absolute. */
  guest: string;
  /** Whether Python may change its contents. */
  isWritable: boolean;
}

export function mountPlaces(
  mounts: readonly Mount[],
): { mounts: string[]; writableMounts: string[] } {
  const writable = mounts.filter(({ isWritable }) => isWritable);
  return {
    mounts: mounts.map(({ host }) => host),
    writableMounts: writable.map(({ host }) => host),
  };
}

/** The error for a mount that is not possible; `reason` completes the sentence. */
export function refuseMount(text: string, reason: string): Error {
  return usageError(`Cannot mount "${text}" as ${reason}.`);
}
