import type { Denied, GuestGrants } from "./guest_grants.ts";
import { maybeHost } from "./hosts.ts";
import { toAccess } from "./policy_file/denial.ts";

/**
 * The grants with what the user has agreed to beside them: denials of the policy stay,
 * and so does whatever no policy can grant. A variable has no value here.
 */
export function widen(
  grants: GuestGrants,
  granted: readonly Denied[],
): GuestGrants {
  const hosts = granted.flatMap((one) =>
    one.kind === "net" ? maybeHost(one.host) ?? [] : []
  );
  const paths = granted.flatMap((one) => {
    if (one.kind !== "read" && one.kind !== "write") return [];
    return [{ host: one.path, guest: one.path, access: toAccess(one.kind) }];
  });
  return {
    ...grants,
    hosts: [...grants.hosts, ...hosts],
    paths: [...grants.paths, ...paths],
  };
}
