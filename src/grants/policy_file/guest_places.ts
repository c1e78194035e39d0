import { bareDomains } from "../hosts.ts";
import type { Access, GuestGrants } from "../guest_grants.ts";
import { isWithin } from "../is_within.ts";
import type { ScopePaths } from "../permissions.ts";

/** The scopes that grants fill. */
export type GuestPlaces = Required<
  Pick<
    ScopePaths,
    | "hosts"
    | "deniedHosts"
    | "mounts"
    | "writableMounts"
    | "deniedReads"
    | "deniedWrites"
  >
>;

/**
 * The places of a guest's grants, for flags of its process, lists of its worker and
 * arguments of bubblewrap. A denial outside the granted folders is left out: nothing
 * is open there but what the program itself needs.
 */
export function toGuestPlaces(
  { hosts, deniedHosts, paths, deniedPaths }: GuestGrants,
  system: { os: string } = Deno.build,
): GuestPlaces {
  const granted = (access: Access) => [
    ...new Set(
      paths.filter((path) => path.access.includes(access))
        .map(({ host }) => host),
    ),
  ];
  const denied = (access: Access, folders: readonly string[]) => [
    ...new Set(
      deniedPaths.filter((path) => path.access.includes(access))
        .map(({ host }) => host)
        .filter((path) =>
          folders.some((folder) => isWithin(path, folder, system))
        ),
    ),
  ];
  const mounts = granted("read");
  const writableMounts = granted("write");
  return {
    ...{ mounts, writableMounts, hosts },
    deniedHosts: [...new Set([...deniedHosts, ...bareDomains(hosts)])],
    deniedReads: denied("read", mounts),
    deniedWrites: denied("write", writableMounts),
  };
}
