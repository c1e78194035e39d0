import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { maybe, UserError } from "../errors.ts";
import type { HttpSettings } from "../protocol/server_settings.ts";
import { toUrlHost } from "../grants/hosts.ts";
import type { ScopePaths } from "../grants/permissions.ts";

/**
 * The places of this machine. Sandboxes and preloaders add their environments.
 *
 * @throws {UserError} If a path has a comma, which a flag cannot express.
 */
export function toScopePaths(
  cache: string,
  runtime: readonly string[],
) {
  const sources = ["../../src", "../../deps"];
  const program = sources.map((path) =>
    fileURLToPath(import.meta.resolve(path))
  );
  for (const path of [...runtime, ...program]) refuseComma(path);
  return { cache: [cache], runtime, program } satisfies ScopePaths;
}

/** Where a server listens, and where it asks for the keys of tokens. */
export function toListenPlaces(
  http: Pick<HttpSettings, "address" | "port" | "oauth"> | undefined,
): Pick<ScopePaths, "listen" | "issuer" | "ownPort"> {
  if (!http) return {};
  const name = toUrlHost(http.address);
  const issuer = http.oauth ? [toHostPort(new URL(http.oauth.jwksUri))] : [];
  return { listen: [`${name}:${http.port}`], issuer, ownPort: http.port };
}

/** A URL's host with its port, as `--allow-net` takes it. */
export function toHostPort({ protocol, hostname, port }: URL): string {
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

function refuseComma(path: string): void {
  if (!path.includes(",")) return;
  throw new UserError(
    `Cannot let Python read "${path}" as Deno takes a path with a comma for ` +
      "two. Move it to a folder without one; if it is Deno's own cache, set " +
      "DENO_DIR to another.",
  );
}

/** The path without symbolic links; it may be of a folder that is not there yet. */
export function realPathOf(path: string): string {
  return maybe(() => Deno.realPathSync(path)) ??
    join(realPathOf(dirname(path)), basename(path));
}
