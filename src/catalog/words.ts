/** Words that say nothing of a tool. */
const EMPTY = new Set(
  ("a all an and any are as at be by can do for from has have how i if in " +
    "into is it its me my need of on or our some that the their them there " +
    "these this those to tool tools use used using want was we what when " +
    "where which will with you your").split(" "),
);

/**
 * The words of a name or of a text, in lower case: `getUserByID` has `get`,
 * `user`, `by` and `id`, as has `get_user-by.id`.
 */
export function toWords(text: string): string[] {
  return text
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
    .split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}

/** The words that say something; all of them if none does. */
export function toTellingWords(text: string): string[] {
  const words = toWords(text);
  const telling = words.filter((word) => !EMPTY.has(word));
  return telling.length > 0 ? telling : words;
}
