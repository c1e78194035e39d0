import { CONSTANTS, DEFAULTS } from "../../src/settings.ts";

/**
 * Sets the constants of `src/settings.ts` that words name, such as
 * `+maxFiles=100`, and gives the other words.
 */
export function takeConstants(words: readonly string[]): string[] {
  const isConstant = (word: string) => word.startsWith("+");
  for (const word of words.filter(isConstant)) {
    const [name = "", value = ""] = word.slice(1).split("=");
    if (!(name in CONSTANTS)) throw new TypeError(`${name} is not a constant`);
    Object.assign(DEFAULTS, { [name]: JSON.parse(value) });
  }
  return words.filter((word) => !isConstant(word));
}
