// Denials of hosts. Of Deno's own rules the most specific counts, whether it allows or
// denies: so a denial is taken out of the granted hosts, and what remains of it is
// written as specifically as the grant that it cuts.
import { contains, parseRange, subtract, toText } from "./addresses.ts";
import type { GuestGrants } from "./guest_grants.ts";
import { ANY_HOST, splitPort } from "./hosts.ts";

type Hosts = Pick<GuestGrants, "hosts" | "deniedHosts">;

/** The hosts of which denials leave something, as they are written. */
export function notAllDenied({ hosts, deniedHosts }: Hosts): string[] {
  return hosts.filter((host) =>
    applyDenials({ hosts: [host], deniedHosts }).hosts.length > 0
  );
}

/** Whether a list names a host, or all of a range or a wildcard. */
export function isAmong(host: string, list: readonly string[]): boolean {
  return notAllDenied({ hosts: [host], deniedHosts: list }).length === 0;
}

/** The hosts that denials leave, and the denials that cut these or any address. */
export function applyDenials({ hosts, deniedHosts }: Hosts): Hosts {
  const left = deniedHosts.reduce(
    (parts, denied) => parts.flatMap((part) => without(part, denied)),
    hosts,
  );
  const cuts = deniedHosts.flatMap((denied) => [
    // Any name may lead to it.
    ...(isAddress(denied) ? [denied] : []),
    ...left.flatMap((host) => maybeCut(host, denied) ?? []),
  ]);
  return { hosts: [...new Set(left)], deniedHosts: [...new Set(cuts)] };
}

/**
 * A granted `*.example.com` with a denied `*.a.example.com` in it, which Deno cannot
 * express: all of the granted hosts are closed then.
 */
export function maybeUnclear(
  { hosts, deniedHosts }: Hosts,
): { host: string; denied: string } | undefined {
  return hosts.flatMap((host) => {
    const denied = deniedHosts.find((one) => isUnclear(host, one));
    return denied === undefined ? [] : [{ host, denied }];
  })[0];
}

function without(host: string, denied: string): string[] {
  if (isUnclear(host, denied)) return [];
  const [whole, hole] = [splitPort(host), splitPort(denied)];
  if (hole.port !== undefined && hole.port !== whole.port) return [host];
  const [range, closed] = [parseRange(whole.name), parseRange(hole.name)];
  if (range && closed) {
    return subtract(range, closed).map((part) => withPort(toText(part), whole));
  }
  return isInside(whole.name, hole.name) ? [] : [host];
}

/** The denial of a part of a granted host; undefined if it is not a part of it. */
function maybeCut(host: string, denied: string): string | undefined {
  const [whole, hole] = [splitPort(host), splitPort(denied)];
  const ports = [whole.port, hole.port].filter((port) => port !== undefined);
  if (new Set(ports).size > 1) return undefined;
  const [port] = ports;
  // Of Deno, a wildcard opens its bare domain as well.
  const isPart = isInside(hole.name, whole.name) ||
    whole.name === `*.${hole.name}`;
  const name = isPart
    ? hole.name
    : isInside(whole.name, hole.name)
    ? whole.name
    : undefined;
  return name === undefined ? undefined : withPort(name, port ? { port } : {});
}

function isUnclear(host: string, denied: string): boolean {
  const [whole, hole] = [splitPort(host), splitPort(denied)];
  return whole.name.startsWith("*.") && hole.name.startsWith("*.") &&
    whole.name !== hole.name && isInside(hole.name, whole.name) &&
    (hole.port === undefined || hole.port === whole.port);
}

/** Whether all hosts of a name are hosts of another; `*.a.b` is inside `*.b`, and not `b`. */
function isInside(inner: string, outer: string): boolean {
  if (outer === ANY_HOST || inner === outer) return true;
  const [range, other] = [parseRange(outer), parseRange(inner)];
  if (range && other) return contains(range, other);
  return outer.startsWith("*.") && inner.endsWith(outer.slice(1)) &&
    inner !== outer;
}

function isAddress(host: string): boolean {
  const { name } = splitPort(host);
  return name.startsWith("[") || parseRange(name) !== undefined;
}

function withPort(name: string, { port }: { port?: string }): string {
  return port === undefined ? name : `${name}:${port}`;
}
