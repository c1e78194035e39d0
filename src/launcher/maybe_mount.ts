import { isWithin } from "../grants/is_within.ts";
import type { Mount } from "../grants/mounts.ts";

/** The mount in which Python sees a file; undefined if it sees none. */
export function maybeMount(
  path: string,
  mounts: readonly Mount[],
): Mount | undefined {
  const real = Deno.realPathSync(path);
  return mounts.find(({ host }) => isWithin(real, host, Deno.build));
}
