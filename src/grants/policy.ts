// The user's grants to all runs: the places that they open, and those that none opens.
import { UserError } from "../errors.ts";
import { type GuestGrants, NOTHING_GRANTED } from "./guest_grants.ts";
import { bareDomains } from "./hosts.ts";
import { isWithin } from "./paths.ts";
import { type Mount, refuseMount } from "./mounts.ts";
import type { ScopePaths } from "./permissions.ts";
import { toGuestPlaces } from "./policy_file/guest_places.ts";

/** The grants of the settings: of options, and of a policy, which are united. */
export interface Grants {
  allowNet: readonly string[];
  deniedHosts?: readonly string[];
  mounts: readonly Mount[];
  variables?: Readonly<Record<string, string>>;
}

/** The grants of Python, in the form that those of each guest have. */
export function toPythonGrants(
  { allowNet, deniedHosts = [], mounts, variables = {} }: Grants,
): GuestGrants {
  // To `--allow-net`, the domain itself belongs to `*.example.com`.
  const domains = bareDomains(allowNet)
    .filter((host) => !deniedHosts.includes(host));
  return {
    ...NOTHING_GRANTED,
    ...{ hosts: [...allowNet, ...domains], deniedHosts, variables },
    paths: mounts.map(({ host, guest, isWritable }) => ({
      ...{ host, guest },
      access: isWritable ? ["read", "write"] : ["read"],
    })),
    deniedPaths: mounts.flatMap(({ denied = [] }) => denied),
  };
}

/** The granted hosts and folders, and this machine's addresses, to which no name may lead. */
export function toGrantedPlaces(grants: Grants) {
  const places = toGuestPlaces(toPythonGrants(grants));
  return {
    ...places,
    ownAddresses: places.hosts.length === 0
      ? []
      : Deno.networkInterfaces().map(({ address }) => address),
  } satisfies ScopePaths;
}

/**
 * @param own Folders of the cache, of the engine and of this program.
 * @throws {UserError} If a mount lies within these folders, or could change them.
 */
export function refuseOwnFolders(
  mounts: readonly Mount[],
  own: readonly string[],
  system: { os: string },
): void {
  for (const { host, isWritable, denied = [] } of mounts) {
    for (const folder of own) {
      const closed = denied.find((path) => isWithin(folder, path.host, system));
      if (closed) {
        throw new UserError(
          `Cannot deny "${closed.host}" as "${folder}", which this program runs from, is within it: deny folders beside it, or keep the cache elsewhere with --cache-dir.`,
        );
      }
      if (isWithin(host, folder, system)) {
        throw refuseMount(
          host,
          `it is within "${folder}", which this program runs from`,
        );
      }
      if (isWritable && isWithin(folder, host, system)) {
        throw refuseMount(
          host,
          `"${folder}", which this program runs from, is within it, and Python could change it: mount it read-only, mount a folder below it, or keep the cache elsewhere with --cache-dir`,
        );
      }
    }
  }
}

/** A private folder, by the words of its messages. */
export interface PrivateFolder {
  /** Its contents. */
  holds: string;
  /** Its task, before its path. */
  doing: string;
  option: string;
}

/** @throws {UserError} If Python could see or change a private folder by a mount. */
export function refuseToShow(
  mounts: readonly Mount[],
  folder: string,
  system: { os: string },
  { holds, option }: PrivateFolder,
): void {
  for (const { host } of mounts) {
    if (isWithin(host, folder, system) || isWithin(folder, host, system)) {
      throw refuseMount(
        host,
        `Python would see ${holds}, which are in "${folder}": choose another folder with ${option}`,
      );
    }
  }
}

/** The mount in which Python sees a file; undefined if it sees none. */
export function maybeMount(
  path: string,
  mounts: readonly Mount[],
): Mount | undefined {
  const real = Deno.realPathSync(path);
  return mounts.find(({ host }) => isWithin(real, host, Deno.build));
}
