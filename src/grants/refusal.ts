import { isAmong } from "./denied_hosts.ts";
import type { GuestGrants } from "./guest_grants.ts";
import { denialRemedy } from "./policy_file/denial.ts";

/** A policy that code runs under, as far as messages tell of it. */
export type PolicyInUse = Pick<GuestGrants, "deniedHosts">;

/**
 * The message that a host, with its port, is not granted, and the option that grants
 * it; with an address if the host itself is granted and leads to a closed address.
 */
export function refusal(
  host: string,
  address?: string,
  policy?: PolicyInUse,
): string {
  const name = host.replace(/:(80|443)$/, "");
  const bare = address?.replace(/:\d+$/, "");
  if (
    policy &&
    [host, address].some((one) => one && isAmong(one, policy.deniedHosts))
  ) {
    const at = bare === undefined ? "" : ` as it leads to ${bare}`;
    return `No network access to "${host}"${at}: the policy closes it in permissions.network.deny`;
  }
  const line = policy
    ? `, or with a policy in which ${
      denialRemedy({ kind: "net", host: bare ?? name })
    }`
    : "";
  if (bare === undefined) {
    return `No network access to "${host}": ask the user to start the server with --allow-net ${name}${line}`;
  }
  return `No network access to "${host}" as it leads to ${bare}, which is no address of the internet: ask the user to start the server with --allow-net ${name},${bare}${line}`;
}

/** The host of a URL with its port, in Deno's spelling. */
export function hostOf({ protocol, host, port }: URL): string {
  return port === "" ? `${host}:${protocol === "https:" ? 443 : 80}` : host;
}
