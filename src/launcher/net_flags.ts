import { closedRanges, parseRange, toText } from "../grants/addresses.ts";
import {
  ANY_HOST,
  namedIpv6,
  namedRanges,
  toUrlHost,
} from "../grants/hosts.ts";
import type { ScopePaths } from "../grants/permissions.ts";

/** IPv6 addresses of this machine that do not depend on its setup. */
const OWN_IPV6 = ["[::1]", "[::]"];
const OWN_IPV4 = ["0.0.0.0/8", "127.0.0.0/8"];

/**
 * Converts the hosts that the user has granted to flags of `deno run`. Deno also
 * compares the denied ranges with the address to which a granted name resolves: so
 * addresses outside the public internet are closed, unless the list names them.
 *
 * @param hosts Hosts as `maybeHost()` gives them; an empty list opens nothing.
 * @param own Addresses of this machine, which are closed as well, and the port of
 * its server: that stays closed whatever the list names, as the server would take
 * a model's code for a client of this machine.
 */
export function toNetFlags(
  hosts: readonly string[],
  { ownAddresses: own = [], ownPort }: Pick<
    ScopePaths,
    "ownAddresses" | "ownPort"
  > = {},
): string[] {
  if (hosts.length === 0) return [];
  const ownRanges = own.flatMap((address) => parseRange(address) ?? []);
  const named = namedIpv6(hosts);
  const server = ownPort === undefined
    ? []
    : [...OWN_IPV4, ...OWN_IPV6, ...own.map(toUrlHost)]
      .map((address) => `${address}:${ownPort}`);
  const closed = [
    ...server,
    ...closedRanges(ownRanges, namedRanges(hosts)).map(toText),
    ...OWN_IPV6.filter((one) =>
      !named.includes(one) && !named.includes("localhost")
    ),
  ];
  const allowed = hosts.includes(ANY_HOST) ? "" : `=${hosts.join(",")}`;
  return [`--allow-net${allowed}`, `--deny-net=${closed.join(",")}`];
}
