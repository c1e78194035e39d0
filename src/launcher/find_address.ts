// Apart, as a start of stdio would load the module for names, too.
import { lookup } from "node:dns/promises";
import { usageError } from "../errors.ts";

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
