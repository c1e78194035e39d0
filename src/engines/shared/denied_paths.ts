import type { Mount } from "../../grants/mounts.ts";

/** The paths within a mount that a policy denies, as Python sees them. */
export function toDeniedPaths({ host, guest, denied = [] }: Mount): string[] {
  return denied.map((one) =>
    guest + one.host.slice(host.length).replaceAll("\\", "/")
  );
}
