import { closedRanges, parseRange, toText } from "../grants/addresses.ts";
import { ANY_HOST, namedIpv6, namedRanges } from "../grants/hosts.ts";

/** IPv6 addresses of this machine that do not depend on its setup. */
const OWN_IPV6 = ["[::1]", "[::]"];

/**
 * Converts the hosts that the user has granted to flags of `deno run`. Deno also
 * compares the denied ranges with the address to which a granted name resolves: so
 * addresses outside the public internet are closed, unless the list names them.
 *
 * @param hosts Hosts as `maybeHost()` gives them; an empty list opens nothing.
 * @param own Addresses of this machine, which are closed as well.
 */
export function toNetFlags(
  hosts: readonly string[],
  own: readonly string[] = [],
): string[] {
  if (hosts.length === 0) return [];
  const ownRanges = own.flatMap((address) => parseRange(address) ?? []);
  const named = namedIpv6(hosts);
  const closed = [
    ...closedRanges(ownRanges, namedRanges(hosts)).map(toText),
    ...OWN_IPV6.filter((one) =>
      !named.includes(one) && !named.includes("localhost")
    ),
  ];
  const allowed = hosts.includes(ANY_HOST) ? "" : `=${hosts.join(",")}`;
  return [`--allow-net${allowed}`, `--deny-net=${closed.join(",")}`];
}
