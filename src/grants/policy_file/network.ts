// The hosts of a policy.
import {
  closedRanges,
  contains,
  parseRange,
  subtract,
  toText,
} from "../addresses.ts";
import { maybeUnclear, notAllDenied } from "../denied_hosts.ts";
import type { GuestGrants } from "../guest_grants.ts";
import { ANY_HOST, maybeHost, maybeMeant, splitPort } from "../hosts.ts";
import type { PolicyDocument } from "./document.ts";
import { type Reading, shown } from "./reading.ts";

type Network = NonNullable<
  NonNullable<PolicyDocument["permissions"]>["network"]
>;
type Entry = NonNullable<Network["allow"]>[number];
type List = "allow" | "deny";

/** Reads the hosts that a policy grants, and those that it denies. */
export function readHosts(
  { allow, deny }: Network,
  reading: Reading,
): Pick<GuestGrants, "hosts" | "deniedHosts"> {
  const read = (list: List, entries: readonly Entry[] | null | undefined) =>
    [...entries?.entries() ?? []]
      .flatMap(([index, entry]) => readEntry(entry, { list, index, reading }));
  const wanted = {
    hosts: read("allow", allow),
    deniedHosts: [...new Set(read("deny", deny))],
  };
  refuseBarePorts(wanted.hosts, reading);
  const unclear = maybeUnclear(wanted);
  if (unclear) {
    const { host, denied } = unclear;
    throw reading.fault(
      ["permissions", "network", "deny"],
      `cannot close ${denied} within ${host}: name the hosts to close, or those to open`,
    );
  }
  return { ...wanted, hosts: [...new Set(notAllDenied(wanted))] };
}

/** Deno would open the domain on each port, or close it on all. */
function refuseBarePorts(hosts: readonly string[], { fault }: Reading): void {
  for (const [index, host] of hosts.entries()) {
    const { name, port } = splitPort(host);
    if (port === undefined || !hosts.includes(`*.${name}`)) continue;
    if (hosts.includes(name)) continue;
    throw fault(
      ["permissions", "network", "allow", index, "host"],
      `must not be ${
        shown(host)
      } beside "*.${name}", as one port cannot be told apart: write ${name}, or *.${name}:${port}`,
    );
  }
}

function readEntry(
  { host, cidr, defaults }: Entry,
  { list, index, reading }: { list: List; index: number; reading: Reading },
): string[] {
  const path = ["permissions", "network", list, index];
  const given = [host, cidr, defaults].filter((one) => one !== undefined);
  if (given.length !== 1) {
    throw reading.fault(path, "must have one key, host or cidr");
  }
  const refuse = (reason: string) =>
    reading.fault([...path, host === undefined ? "cidr" : "host"], reason);
  if (defaults !== undefined) {
    reading.warn(
      [...path, "defaults"],
      "grants nothing, as its hosts are anyone's to publish on: name hosts",
    );
    return [];
  }
  return [
    host === undefined
      ? readRange(cidr ?? "", list, refuse)
      : readHost(host, list, refuse),
  ];
}

function readHost(
  text: string,
  list: List,
  refuse: (reason: string) => Error,
): string {
  if (text === ANY_HOST) {
    if (list === "deny") return text;
    throw refuse(
      `must not be "*" alone, which is any host: name hosts, such as api.example.com or *.example.com`,
    );
  }
  if (text.includes("/") && maybeHost(text) !== undefined) {
    throw refuse(`must not be a range: write cidr: ${shown(text)}`);
  }
  const meant = maybeMeant(text);
  const [, scheme, rest] = /^(https?):\/\/([^/?#@]+)\/?$/.exec(text) ?? [];
  const known = rest !== undefined && meant !== undefined
    ? withPort(meant, scheme === "https" ? 443 : 80)
    : maybeHost(text);
  if (known !== undefined) return known;
  const instead = meant === undefined ? "" : `: write ${meant}`;
  throw refuse(
    `must be a host such as example.com, *.example.com or example.com:443, without a path, and not ${
      shown(text)
    }${instead}`,
  );
}

function withPort(host: string, port: number): string {
  return splitPort(host).port === undefined ? `${host}:${port}` : host;
}

function readRange(
  text: string,
  list: List,
  refuse: (reason: string) => Error,
): string {
  const range = text.includes("/") ? parseRange(text) : undefined;
  if (!range) {
    throw refuse(
      `must be a range of IPv4 from its first address, such as 10.0.0.0/8, and not ${
        shown(text)
      }`,
    );
  }
  const inner = closedRanges([], []).find((closed) =>
    contains(range, closed) && subtract(range, closed).length > 0
  );
  if (inner && list === "allow") {
    throw refuse(
      `must not be ${text}, which also holds ${
        toText(inner)
      }, outside the internet: name the ranges apart`,
    );
  }
  return toText(range);
}
