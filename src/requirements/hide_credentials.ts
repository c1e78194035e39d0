/** The start of a path: a text with it is not a URL, not even a misspelt one. */
const PATH = /^([.~]{0,2}[\\/](?![\\/])|[a-z]:[\\/])/i;

/**
 * Hides the user names and passwords in the URLs of a text that is to be printed
 * or kept.
 *
 * A word with an `@` that is not a URL may be a misspelt URL: it loses all that
 * stands before its last `@`.
 */
export function hideCredentials(text: string): string {
  return text.replace(/[^\s"]+/g, (word) => {
    if (!word.includes("@") || PATH.test(word)) return word;
    // In a URL, credentials end at the last @ before its path.
    const [, scheme, rest = ""] = /^([a-z][a-z\d+.-]*:[\\/]{2,})(.*)$/is
      .exec(word) ?? [];
    return scheme !== undefined && URL.canParse(word)
      ? scheme + rest.replace(/^[^/?#\\]*@/, "***@")
      : word.replace(/^.+@/s, "***@");
  });
}
