import { applyDenials } from "../denied_hosts.ts";
import { bareDomains } from "../hosts.ts";
import type { Access, GuestGrants, PathDenial } from "../guest_grants.ts";
import { isWithin } from "../paths.ts";
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
    | "covers"
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
  const granted = (access: Access) =>
    unique(
      paths.filter((path) => path.access.includes(access))
        .map(({ host }) => host),
    );
  const within = (access: Access, folders: readonly string[]) =>
    deniedPaths.filter((denied) =>
      denied.access.includes(access) &&
      folders.some((folder) => isWithin(denied.host, folder, system))
    );
  const mounts = granted("read");
  const writableMounts = granted("write");
  const unread = within("read", mounts);
  const unchanged = within("write", writableMounts);
  const cover = (isHidden: boolean) => ({ host: path, kind }: PathDenial) =>
    kind ? [{ path, isFolder: kind === "folder", isHidden }] : [];
  return {
    ...{ mounts, writableMounts },
    ...applyDenials({
      hosts,
      deniedHosts: [...deniedHosts, ...bareDomains(hosts)],
    }),
    deniedReads: unique(unread.map(({ host }) => host)),
    deniedWrites: unique(unchanged.map(({ host }) => host)),
    covers: [
      ...unread.flatMap(cover(true)),
      ...unchanged.filter((denied) => !unread.includes(denied))
        .flatMap(cover(false)),
    ],
  };
}

function unique(paths: string[]): string[] {
  return [...new Set(paths)];
}
