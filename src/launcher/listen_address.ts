import { lookup } from "node:dns/promises";
import { usageError } from "../errors.ts";
import type { Settings } from "../settings.ts";

const LOOPBACK = /^(::ffff:)?127\.|^::1$/i;

/**
 * Refuses an address that other machines reach, whatever its name says.
 *
 * @throws {UserError} If so, with the way to make a token.
 */
export async function refuseStrangers(host: string): Promise<void> {
  if (await isLoopback(host)) return;
  throw usageError(
    `Cannot listen on ${host} without tokens, as other machines could run code here. ` +
      `Make a token: (umask 077; echo "me $(openssl rand -hex 32)" > tokens). ` +
      "Then start with --token-file tokens; or listen on 127.0.0.1.",
  );
}

/** Whether this machine alone reaches an address or name. */
export async function isLoopback(host: string): Promise<boolean> {
  try {
    const addresses = await lookup(host, { all: true });
    return addresses.every(({ address }) => LOOPBACK.test(address));
  } catch {
    throw usageError(
      `Cannot listen on ${host} as no address of that name is known: give an address as --host.`,
    );
  }
}

/** Hosts by which clients may call the server. */
export function toAllowedHosts(
  { host, allowedHosts }: Pick<Settings, "host" | "allowedHosts">,
): string[] {
  // Of all addresses of this machine; names are for the user to say.
  const own = toUrlHost(host) === "0.0.0.0" || toUrlHost(host) === "[::]"
    ? Deno.networkInterfaces().map(({ address }) => toUrlHost(address))
    : [];
  return [...new Set([toUrlHost(host), ...own, ...allowedHosts])];
}

/** A host as it is written in URLs. */
export function toUrlHost(host: string): string {
  const text = host.includes(":") ? `[${host}]` : host;
  return URL.parse(`http://${text}`)?.hostname ?? text;
}
