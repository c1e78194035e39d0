import { createHash, timingSafeEqual } from "node:crypto";
import type { NamedToken } from "../../../../protocol/server_settings.ts";

/**
 * Finds the name of a token. Each known token is compared, in a time that does
 * not depend on the token.
 */
export function tokenFinder(
  tokens: readonly NamedToken[],
): (token: string) => string | undefined {
  const known = tokens.map(({ name, sha256 }) => ({
    name,
    hash: Uint8Array.fromHex(sha256),
  }));
  return (token) => {
    const hash = createHash("sha256").update(token).digest();
    return known.filter((one) => timingSafeEqual(one.hash, hash))[0]?.name;
  };
}
