import { closedRanges, parseRange, toText } from "../grants/addresses.ts";
import {
  ANY_HOST,
  namedIpv6,
  namedRanges,
  toUrlHost,
} from "../grants/hosts.ts";
import {
  CUTS,
  GRANTED,
  PERMISSION_KINDS,
  type Permissions,
  type Scope,
  type ScopePaths,
} from "../grants/permissions.ts";

/**
 * Converts a row of the permission table to flags of `deno run`, in a stable order.
 * A kind that is not named gives no flag at all: a bare `--allow-net` would open
 * everything.
 *
 * @throws {RangeError} If a path has a comma.
 */
export function toDenoFlags(
  permissions: Permissions,
  places: ScopePaths = {},
): string[] {
  const flags = ["--no-prompt"];
  for (const kind of PERMISSION_KINDS) {
    const scopes = permissions[kind] ?? [];
    if (scopes.includes("any")) flags.push(`--allow-${kind}`);
    else if (scopes.includes("hosts")) {
      flags.push(...toNetFlags(places.hosts ?? [], places));
    } else if (!scopes.every((scope) => isNowhere(scope, places))) {
      const paths = scopes.flatMap((scope) => toPaths(scope, places, kind));
      if (paths.length === 0) {
        throw new RangeError(`Cannot grant ${kind} as its place is not known`);
      }
      flags.push(`--allow-${kind}=${paths.join(",")}`);
      const denied = scopes.flatMap((scope) =>
        toPaths(CUTS[scope] ?? "any", places, kind)
      );
      if (denied.length > 0) flags.push(`--deny-${kind}=${denied.join(",")}`);
    }
  }
  return flags;
}

/** Whether a scope is empty because the user has not granted it. */
export function isNowhere(scope: Scope, places: ScopePaths): boolean {
  return scope !== "any" && GRANTED.includes(scope) &&
    (places[scope] ?? []).length === 0;
}

function toPaths(
  scope: Scope,
  places: ScopePaths,
  kind: string,
): string[] {
  if (scope === "any") return [];
  return (places[scope] ?? []).map((path) => {
    // Deno 2.9 splits on every comma and has no escape for paths, so the one
    // path "/data/a,/etc" would also open "/etc".
    if (!path.includes(",")) return path;
    throw new RangeError(
      `Cannot grant ${kind} to "${path}" as a path must have no comma: choose another folder`,
    );
  });
}

/** IPv6 addresses of this machine that do not depend on its setup. */
const OWN_IPV6 = ["[::1]", "[::]"];
const OWN_IPV4 = ["0.0.0.0/8", "127.0.0.0/8"];

/**
 * Converts the hosts that the user has granted to flags of `deno run`. Deno also
 * compares the denied ranges with the address to which a granted name resolves: so
 * addresses outside the public internet are closed, unless the list names them.
 *
 * @param hosts Hosts as `maybeHost()` gives them; an empty list opens nothing.
 * @param deniedHosts As `applyDenials()` gives them.
 * @param own Addresses of this machine, which are closed as well, and the port of
 * its server: that stays closed whatever the list names, as the server would take
 * a model's code for a client of this machine.
 */
export function toNetFlags(
  hosts: readonly string[],
  { ownAddresses: own = [], ownPort, deniedHosts = [] }: Pick<
    ScopePaths,
    "ownAddresses" | "ownPort" | "deniedHosts"
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
    ...deniedHosts,
    ...server,
    ...closedRanges(ownRanges, namedRanges(hosts)).map(toText),
    ...OWN_IPV6.filter((one) =>
      !named.includes(one) && !named.includes("localhost")
    ),
  ];
  const allowed = hosts.includes(ANY_HOST) ? "" : `=${hosts.join(",")}`;
  return [`--allow-net${allowed}`, `--deny-net=${closed.join(",")}`];
}
