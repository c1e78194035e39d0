/** Characters that turn the direction of what stands beside them. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;
/** More marks on a letter than any script has: a browser takes minutes to lay them out. */
const MARKS = /(\p{M}{8})\p{M}+/gu;

/** Text of a hostile guest that a browser shows as it is, and soon. */
export function toVisible(text: string): string {
  return text
    .replace(
      TURNS,
      (turn) => `\\u${turn.charCodeAt(0).toString(16)}`,
    )
    .replace(MARKS, "$1…");
}
