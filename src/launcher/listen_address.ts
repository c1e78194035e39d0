import { lookup } from "node:dns/promises";
import { usageError } from "../errors.ts";
import type { Settings } from "../settings.ts";
import { toUrlHost } from "../grants/hosts.ts";

const LOOPBACK = /^(::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/i;

/**
 * Refuses an address that other machines reach, with the way to make a token.
 *
 * @throws {UserError} If so.
 */
export function refuseStrangers(address: string): void {
  if (isLoopback(address)) return;
  throw usageError(
    `Cannot listen on ${address} without tokens, as other machines could run code here. ` +
      `Make a token: (umask 077; echo "me $(openssl rand -hex 32)" > tokens). ` +
      "Then start with --token-file tokens; or listen on 127.0.0.1.",
  );
}

/** Whether this machine alone reaches an address. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.test(address);
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

/** @throws {UserError} If a name has no address. */
export async function findAddress(host: string): Promise<string> {
  try {
    const { address } = await lookup(host);
    return address;
  } catch {
    throw usageError(
      `Cannot find the address of ${host}: give an address, or a name that this machine can look up.`,
    );
  }
}

/** A free port if any is asked for. */
export function findPort(hostname: string, port: number): number {
  if (port !== 0) return port;
  using listener = Deno.listen({ hostname, port });
  return listener.addr.port;
}
