import {
  createRemoteJWKSet,
  errors,
  jwtVerify,
} from "../../../../../deps/jose.ts";
import type { OAuthSettings } from "../../../../protocol/server_settings.ts";

/** The user of an access token, or why the token is refused. */
export type TokenVerdict =
  | { subject: string }
  | { error: "invalid_token" | "insufficient_scope" }
  /** The issuer's keys cannot be fetched. */
  | { error: "unavailable"; reason: string };

/** Signatures by a key that only the issuer has: none by a secret that is shared. */
const ALGORITHMS =
  "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519"
    .split(" ");
/** Types of access tokens: that of RFC 9068, and those of older issuers. */
const TYPES = [undefined, "jwt", "at+jwt", "application/at+jwt"];
/** Clocks differ. */
const SKEW_SECONDS = 30;
/** Keys that are not known are asked for anew, but not for each token. */
const KEYS_MS = { cooldownDuration: 2000, timeoutDuration: 5000 };

/** Checks access tokens (JWT) against the issuer's published keys. */
export function accessTokenChecker(
  { issuer, jwksUri, audience, scopes }: OAuthSettings,
): (token: string) => Promise<TokenVerdict> {
  const keys = createRemoteJWKSet(new URL(jwksUri), KEYS_MS);
  return async (token) => {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: SKEW_SECONDS,
        requiredClaims: ["exp", "sub"],
      });
      const sub: unknown = payload.sub;
      const isUser = typeof sub === "string" && sub !== "";
      if (!TYPES.includes(protectedHeader.typ?.toLowerCase()) || !isUser) {
        return { error: "invalid_token" };
      }
      const granted = toScopes(payload.scope ?? payload.scp);
      return scopes.every((scope) => granted.includes(scope))
        ? { subject: sub }
        : { error: "insufficient_scope" };
    } catch (error) {
      if (isOfToken(error)) return { error: "invalid_token" };
      return { error: "unavailable", reason: String(error) };
    }
  };
}

/** Words of a text, or a list, as issuers differ. */
function toScopes(claim: unknown): string[] {
  if (typeof claim === "string") return claim.split(" ");
  return Array.isArray(claim) ? claim.map(String) : [];
}

/** Whether the token is at fault, and not the way to the issuer. */
function isOfToken(error: unknown): boolean {
  return error instanceof errors.JOSEError &&
    !(error instanceof errors.JWKSTimeout) &&
    !(error instanceof errors.JWKSInvalid) &&
    error.code !== errors.JOSEError.code;
}
