import { isAbsolute, normalize, parse } from "node:path";
import type { Denied, GuestGrants } from "./guest_grants.ts";
import { maybeHost } from "./hosts.ts";
import { toAccess } from "./policy_file/denial.ts";

/**
 * Whether a policy could grant what a component says that it was denied: it may lie. A
 * path that is written in another way would pass for one outside of this program's own
 * folders.
 */
export function isGrantable(denied: Denied): boolean {
  switch (denied.kind) {
    case "net":
      return !denied.host.includes("*") && maybeHost(denied.host) !== undefined;
    case "env":
      return false;
    default: {
      const { path } = denied;
      const isWhole = isAbsolute(path) && normalize(path) === path &&
        !/[,\p{C}]|[/\\]$/u.test(path);
      return isWhole && path !== parse(path).root;
    }
  }
}

/**
 * The grants with what the user has agreed to beside them: denials of the policy stay,
 * and so does whatever no policy can grant. A variable has no value here.
 */
export function widen(
  grants: GuestGrants,
  agreed: readonly Denied[],
): GuestGrants {
  const granted = agreed.filter(isGrantable);
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
