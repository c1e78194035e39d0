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

/** Letters that a name may differ by. */
const MOST_EDITS = 3;
/** Characters of names that are compared. */
const LONGEST = 64;

/** The names that differ from a word by a few letters, the nearest first. */
export function nearest(
  word: string,
  names: readonly string[],
  { bare = (name: string) => name.toLowerCase(), most = Infinity } = {},
): string[] {
  const own = bare(word);
  return names
    .map((name) => ({ name, bared: bare(name) }))
    .map(({ name, bared }) => ({
      name,
      length: bared.length,
      edits: editDistance(own, bared),
    }))
    .filter(({ length, edits }) => edits <= MOST_EDITS && edits * 2 <= length)
    .sort((a, b) => a.edits - b.edits)
    .slice(0, most)
    .map(({ name }) => name);
}

/**
 * Letters to insert, drop or change to get from `a` to `b` (Levenshtein); an upper
 * bound for names that are out of reach.
 */
function editDistance(a: string, b: string): number {
  const longest = Math.max(a.length, b.length);
  const isFar = Math.abs(a.length - b.length) > MOST_EDITS;
  if (isFar || longest > LONGEST) return longest;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = Array<number>(b.length + 1).fill(longest);
    next[0] = i;
    // Further away from the diagonal all are out of reach.
    const last = Math.min(b.length, i + MOST_EDITS);
    for (let j = Math.max(1, i - MOST_EDITS); j <= last; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, changed);
    }
    if (Math.min(...next) > MOST_EDITS) return longest;
    row = next;
  }
  return row[b.length] ?? 0;
}
