import { closedRanges, parseRange, toText } from "../grants/addresses.ts";
import { ANY_HOST, namedIpv6, namedRanges } from "../grants/hosts.ts";

/** Addresses of IPv6 that are this machine, however it is set up. */
const OWN_IPV6 = ["[::1]", "[::]"];

/**
 * Turns hosts that the user granted into flags of `deno run`.
 *
 * Deno checks what is denied against the address, too, that a granted name
 * resolves to: so what is no part of the internet is closed, unless it is
 * listed itself.
 *
 * @param hosts As `maybeHost()` gives them; none opens nothing.
 * @param own Addresses of this machine, which are as closed.
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
