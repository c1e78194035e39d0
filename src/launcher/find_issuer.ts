import { messageOf, usageError, UserError } from "../errors.ts";
import { fields } from "../protocol/fields.ts";
import type { OAuthSettings } from "../protocol/server_settings.ts";
import type { Settings } from "../settings.ts";
import { findAddress, isLoopback } from "./listen_address.ts";
import { toUrlHost } from "../grants/hosts.ts";

const LONGEST_MS = 10_000;

/**
 * Finds the keys of the issuer of access tokens, by its metadata (RFC 8414, or
 * OpenID Connect Discovery).
 *
 * @throws {UserError} If there is no such issuer.
 */
export async function findIssuer(
  issuer: string,
  settings: Pick<
    Settings,
    "host" | "port" | "httpPath" | "oauthAudience" | "oauthScope" | "tlsCert"
  >,
): Promise<OAuthSettings> {
  await refuseUnsafe(issuer, "the issuer of tokens");
  const audience = settings.oauthAudience ?? toOwnAddress(settings);
  const jwksUri = await findKeys(issuer);
  await refuseUnsafe(jwksUri, `the keys of the issuer ${issuer}`);
  return { issuer, jwksUri, audience, scopes: settings.oauthScope };
}

async function findKeys(issuer: string): Promise<string> {
  const faults: string[] = [];
  for (const address of toMetadataUrls(issuer)) {
    try {
      const metadata = await fetchMetadata(address);
      const { issuer: named, jwks_uri: keys } = metadata;
      if (named !== issuer) {
        faults.push(`${address} names the issuer ${JSON.stringify(named)}`);
      } else if (typeof keys === "string" && URL.canParse(keys)) return keys;
      else faults.push(`${address} names no jwks_uri`);
    } catch (error) {
      faults.push(messageOf(error));
    }
  }
  throw new UserError(
    `Cannot accept tokens of the issuer ${issuer}: ${faults.join("; ")}. ` +
      "See that it can be reached from here, and give --oauth-issuer exactly as its own metadata names it.",
  );
}

/** @throws {Error} If the address answers with anything but an object of JSON. */
async function fetchMetadata(address: URL): Promise<Record<string, unknown>> {
  const signal = AbortSignal.timeout(LONGEST_MS);
  try {
    const response = await fetch(address, { signal, redirect: "error" });
    if (response.ok) return fields(await response.json());
    await response.body?.cancel();
    throw new Error(`its status is ${response.status}`);
  } catch (error) {
    throw new Error(`Cannot read ${address}: ${messageOf(error)}`);
  }
}

/** Where the metadata of an issuer may be, the standard of OAuth first. */
export function toMetadataUrls(issuer: string): URL[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const paths = [
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
    `${path}/.well-known/openid-configuration`,
  ];
  return [...new Set(paths)].map((path) => new URL(path, origin));
}

/** @throws {UserError} If keys or tokens could be replaced on their way. */
async function refuseUnsafe(address: string, what: string): Promise<void> {
  const { protocol, hostname } = new URL(address);
  if (protocol === "https:") return;
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (protocol === "http:" && isLoopback(await findAddress(host))) return;
  throw usageError(
    `Cannot trust ${what} at ${address}: it must be https, or http on this machine.`,
  );
}

/** @throws {UserError} If clients cannot know the address as this server's. */
function toOwnAddress(
  { host, port, httpPath, tlsCert }: Pick<
    Settings,
    "host" | "port" | "httpPath" | "tlsCert"
  >,
): string {
  const name = toUrlHost(host);
  if (port === 0 || name === "0.0.0.0" || name === "[::]") {
    throw usageError(
      "Cannot tell which tokens are for this server: name the URL by which clients call it with --oauth-audience.",
    );
  }
  return `${tlsCert ? "https" : "http"}://${name}:${port}${httpPath}`;
}
