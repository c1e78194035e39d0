import { nearest } from "../catalog/nearest.ts";

/** ` Did you mean …?` with the candidate nearest to `word`, or an empty text. */
export function didYouMean(
  word: string,
  candidates: readonly string[],
): string {
  const [best] = nearest(word, candidates, { bare });
  return best === undefined ? "" : ` Did you mean ${best}?`;
}

// A prefix that all candidates share makes no candidate nearer.
function bare(word: string): string {
  return word.toLowerCase().replace(/^(--?|mcp_run_python_)/, "");
}
