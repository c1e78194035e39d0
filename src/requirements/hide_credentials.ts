/** Stands for what is hidden. */
const HIDDEN = "***";

/** How a path starts that is no URL, nor one that was misspelt. */
const PATH = /^([.~]{0,2}[\\/](?![\\/])|[a-z]:[\\/])/i;

/**
 * Hides the user name and password in the URLs of a text, for all that is
 * printed or kept.
 *
 * What has an `@` and is no URL may be one that was misspelt, so it loses all
 * that is before it.
 *
 * @example
 * ```ts
 * import { hideCredentials } from "./hide_credentials.ts";
 * import { strictEqual } from "node:assert/strict";
 *
 * strictEqual(
 *   hideCredentials("https://ada:secret@index.example/simple"),
 *   "https://***@index.example/simple",
 * );
 * ```
 */
export function hideCredentials(text: string): string {
  return text.replace(/[^\s"]+/g, (word) => {
    if (!word.includes("@") || PATH.test(word)) return word;
    // As URLs are read, it ends at the last @ before a path.
    const [, scheme, rest = ""] = /^([a-z][a-z\d+.-]*:[\\/]{2,})(.*)$/is
      .exec(word) ?? [];
    return scheme !== undefined && URL.canParse(word)
      ? scheme + rest.replace(/^[^/?#\\]*@/, `${HIDDEN}@`)
      : word.replace(/^.+@/s, `${HIDDEN}@`);
  });
}

/** Whether `hideCredentials()` has something to hide in a text. */
export function hasCredentials(text: string): boolean {
  return hideCredentials(text) !== text;
}
