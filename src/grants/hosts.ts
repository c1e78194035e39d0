/**
 * What `--allow-net` can name, in one spelling each.
 *
 * @module
 */
import { parseRange, type Range, toText } from "./addresses.ts";

/** Every host of the internet. */
export const ANY_HOST = "*";

/** Its last part is no number, as that of an address is. */
const NAME =
  /^(\*\.)?([a-z\d_]([a-z\d_-]*[a-z\d_])?\.)*(?!\d+$)[a-z\d]([a-z\d-]*[a-z\d])?$/;
const LONGEST_NAME = 253;

/**
 * Reads a host, with or without a port: a name, `*.` and a name, an address, a
 * range of addresses, or `*`.
 *
 * @example
 * ```ts
 * import { maybeHost } from "./hosts.ts";
 * import { strictEqual } from "node:assert/strict";
 *
 * strictEqual(maybeHost("Example.com:443"), "example.com:443");
 * strictEqual(maybeHost("https://example.com/"), undefined);
 * ```
 *
 * @returns Its one spelling; undefined if it is none.
 */
export function maybeHost(text: string): string | undefined {
  if (text === ANY_HOST) return text;
  const whole = maybeAddress(text) ?? maybeIpv6(text) ?? maybeName(text);
  if (whole !== undefined) return whole;
  const [, before = "", port] = /^(.+):(\d{1,5})$/s.exec(text) ?? [];
  const number = Number(port);
  if (!(number > 0 && number < 65536)) return undefined;
  // An address of IPv6 needs its brackets, or the port could be a part of it.
  const host = maybeAddress(before) ?? maybeName(before) ??
    (before.startsWith("[") ? maybeIpv6(before) : undefined);
  return host && `${host}:${number}`;
}

/** The host that was meant by a URL, or by what has a path. */
export function maybeMeant(text: string): string | undefined {
  const [, host = ""] =
    /^(?:[a-z][a-z\d+.-]*:\/\/)?(?:[^/?#]*@)?([^/?#@]+)/i.exec(text) ?? [];
  return host === text ? undefined : maybeHost(host);
}

/**
 * Addresses that a list of hosts names, so that they may be reached though they
 * are no part of the internet; `localhost` is this machine.
 */
export function namedRanges(hosts: readonly string[]): Range[] {
  return hosts.map(withoutPort)
    .map((host) => host === LOCALHOST ? "127.0.0.1" : host)
    .flatMap((host) => parseRange(host) ?? []);
}

/** Hosts of a list that may be reached by IPv6, without their ports. */
export function namedIpv6(hosts: readonly string[]): string[] {
  return hosts.map(withoutPort)
    .filter((host) => host.startsWith("[") || host === LOCALHOST);
}

const LOCALHOST = "localhost";

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, "");
}

function maybeAddress(text: string): string | undefined {
  const range = parseRange(text);
  return range && toText(range);
}

function maybeIpv6(text: string): string | undefined {
  const [, address = ""] = /^(?=\[.*\]$|[^[\]]*$)\[?([\da-f.]*:[\da-f.:]*)\]?$/i
    .exec(text) ?? [];
  return URL.parse(`http://[${address}]/`)?.hostname;
}

function maybeName(text: string): string | undefined {
  const [, wild = "", rest = ""] = /^(\*\.)?(.*?)\.?$/s.exec(text) ?? [];
  const name = wild + toAscii(rest);
  return name.length <= LONGEST_NAME && NAME.test(name) ? name : undefined;
}

/** Names in other scripts are asked for by their form in ASCII. */
function toAscii(name: string): string {
  const isOther =
    /^[\p{L}\p{M}\p{N}.-]*(?![ -~])[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}.-]*$/u;
  return isOther.test(name)
    ? URL.parse(`http://${name}/`)?.hostname ?? ""
    : name.toLowerCase();
}
