import { usageError } from "../errors.ts";
import type { HttpSettings } from "../protocol/server_settings.ts";
import { type Settings, settingsFor } from "../settings.ts";
import { findIssuer } from "./find_issuer.ts";
import { findAddress, findPort } from "./listen_address.ts";
import { refuseStrangers, toAllowedHosts } from "./listen_address.ts";
import { readTls } from "./read_private.ts";
import { readTokens } from "./read_tokens.ts";

/**
 * The settings of a server of HTTP; reads the files of tokens and of TLS, and the
 * metadata of the issuer.
 *
 * @throws {UserError} If these cannot be read, or clients of other machines
 * would need no token.
 */
export async function toHttpSettings(
  settings: Settings,
  isStateless: boolean,
  tokenVariable?: string,
): Promise<HttpSettings> {
  const { host, oauthIssuer } = settings;
  const tokens = readTokens(settings, tokenVariable);
  const tls = readTls(settings);
  const address = await findAddress(host);
  if (tokens.length === 0 && oauthIssuer === undefined) {
    refuseStrangers(address);
  }
  refuseStrangeNames(settings, tokens.length > 0);
  // Sandboxes that may reach hosts learn which port is closed to them.
  const port = settings.allowNet.length > 0
    ? findPort(address, settings.port)
    : settings.port;
  return {
    ...settingsFor("http", settings),
    allowedOrigins: settings.allowedOrigins.filter((one) => one !== "none"),
    web: !settings.allowedOrigins.includes("none"),
    address,
    port,
    isStateless,
    tokens,
    tls,
    allowedHosts: toAllowedHosts(settings),
    oauth: oauthIssuer === undefined
      ? undefined
      : await findIssuer(oauthIssuer, settings),
  };
}

/** @throws {UserError} If clients could name the caller that they want to be. */
function refuseStrangeNames(
  { callerHeader, oauthIssuer }: Settings,
  hasTokens: boolean,
): void {
  if (callerHeader === undefined) return;
  if (!hasTokens) {
    throw usageError(
      `Cannot believe --caller-header ${callerHeader} without a token, as any client could send it: give the proxy a token by --token-file.`,
    );
  }
  if (oauthIssuer !== undefined) {
    throw usageError(
      `Cannot take callers from --caller-header ${callerHeader} and --oauth-issuer, as a user of the issuer could be many callers: leave one of them out.`,
    );
  }
}
