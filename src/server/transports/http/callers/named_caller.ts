/**
 * Visible characters of ASCII. A comma would let two headers pass for one name,
 * as they are read as one, with a comma between.
 */
const NAME = /^[!-+\--~]{1,200}$/;

/**
 * The name of the caller that a holder of a token names: a name of its own, which no
 * other token and no user of an issuer can have.
 *
 * @param token Name of the token, which has no slash.
 * @param named Value of the header; null without one.
 * @returns Undefined if it names none.
 */
export function maybeNamedCaller(
  token: string,
  named: string | null,
): string | undefined {
  return named !== null && NAME.test(named) ? `${token}/${named}` : undefined;
}
