// The hosts that `--allow-net` can name, each in a single spelling.
import { parseRange, type Range, toText } from "./addresses.ts";

export const ANY_HOST = "*";

/** A name; its last part is not a number, unlike that of an address. */
const NAME =
  /^(\*\.)?([a-z\d_]([a-z\d_-]*[a-z\d_])?\.)*(?!\d+$)[a-z\d]([a-z\d-]*[a-z\d])?$/;
const LONGEST_NAME = 253;

/**
 * Reads a host, with or without a port: a name, `*.` and a name, an address, a
 * range of addresses, or `*`. Gives its single spelling; undefined if the text is
 * not a host.
 */
export function maybeHost(text: string): string | undefined {
  if (text === ANY_HOST) return text;
  const whole = maybeAddress(text) ?? maybeIpv6(text) ?? maybeName(text);
  if (whole !== undefined) return whole;
  const [, before = "", port] = /^(.+):(\d{1,5})$/s.exec(text) ?? [];
  const number = Number(port);
  if (!(number > 0 && number < 65536)) return undefined;
  // An IPv6 address needs its brackets: the port could be a part of it otherwise.
  const host = maybeAddress(before) ?? maybeName(before) ??
    (before.startsWith("[") ? maybeIpv6(before) : undefined);
  return host && `${host}:${number}`;
}

/** The host that the user meant by a URL, or by a host with a path. */
export function maybeMeant(text: string): string | undefined {
  const [, host = ""] =
    /^(?:[a-z][a-z\d+.-]*:\/\/)?(?:[^/?#]*@)?([^/?#@]+)/i.exec(text) ?? [];
  return host === text ? undefined : maybeHost(host);
}

/**
 * The addresses in a list of hosts: a run may reach them even outside the public
 * internet. `localhost` stands for this machine.
 */
export function namedRanges(hosts: readonly string[]): Range[] {
  return hosts.map(withoutPort)
    .map((host) => host === LOCALHOST ? "127.0.0.1" : host)
    .flatMap((host) => parseRange(host) ?? []);
}

/** The hosts of a list that a run may reach by IPv6, without their ports. */
export function namedIpv6(hosts: readonly string[]): string[] {
  return hosts.map(withoutPort)
    .filter((host) => host.startsWith("[") || host === LOCALHOST);
}

const LOCALHOST = "localhost";

function withoutPort(host: string): string {
  return splitPort(host).name;
}

/** The parts of a host in the spelling of `maybeHost()`. */
export function splitPort(host: string): { name: string; port?: string } {
  const [, name = host, port] = /^(.*):(\d+)$/s.exec(host) ?? [];
  return port === undefined ? { name } : { name, port };
}

/**
 * The domains themselves of hosts such as `*.example.com`, to be denied: Deno would
 * open them, too, while a policy means the hosts below. Those that a list names stay.
 */
export function bareDomains(hosts: readonly string[]): string[] {
  return hosts.flatMap((host) => {
    const [, bare] = /^\*\.(.*)$/s.exec(host) ?? [];
    if (bare === undefined) return [];
    const isNamed = hosts.includes(bare) ||
      hosts.includes(splitPort(bare).name);
    return isNamed ? [] : [bare];
  });
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

/** Converts a name in another script to its ASCII form. */
function toAscii(name: string): string {
  const isOther =
    /^[\p{L}\p{M}\p{N}.-]*(?![ -~])[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}.-]*$/u;
  return isOther.test(name)
    ? URL.parse(`http://${name}/`)?.hostname ?? ""
    : name.toLowerCase();
}

/** A host as it is written in URLs. */
export function toUrlHost(host: string): string {
  const text = host.includes(":") ? `[${host}]` : host;
  return URL.parse(`http://${text}`)?.hostname ?? text;
}
