/** ` Did you mean …?` with the candidate nearest to `word`, or an empty text. */
export function didYouMean(
  word: string,
  candidates: readonly string[],
): string {
  const [best] = candidates
    .map((name) => ({ name, edits: editDistance(bare(word), bare(name)) }))
    .filter(({ name, edits }) => edits <= 3 && edits * 2 <= bare(name).length)
    .sort((a, b) => a.edits - b.edits);
  return best === undefined ? "" : ` Did you mean ${best.name}?`;
}

// A prefix that all candidates share makes no candidate nearer.
function bare(word: string): string {
  return word.toLowerCase().replace(/^(--?|mcp_run_python_)/, "");
}

/** Letters to insert, drop or change to get from `a` to `b` (Levenshtein). */
function editDistance(a: string, b: string): number {
  // An upper bound is enough for a word that is out of reach, however long.
  if (Math.abs(a.length - b.length) > 3) return Math.max(a.length, b.length);
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    row.slice(1).forEach((above, j) => {
      const changed = (row[j] ?? 0) + (letter === b[j] ? 0 : 1);
      next.push(Math.min(above + 1, (next[j] ?? 0) + 1, changed));
    });
    row = next;
  }
  return row[b.length] ?? 0;
}
