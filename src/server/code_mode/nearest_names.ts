/** Names that are told. */
const MOST_TOLD = 3;
/** Names that are looked at, and characters of each: a server may list many. */
const MOST_NAMES = 2000;
const LONGEST = 100;
/** The least part of their pairs of letters that similar names share. */
const SIMILAR = 0.3;

/**
 * The names that are most like a word, the nearest first; none if none is like it.
 * Its cost grows with the length of the texts alone, as a guest gives the word.
 */
export function nearestNames(word: string, names: readonly string[]): string[] {
  const wanted = pairsOf(word);
  return names.slice(0, MOST_NAMES)
    .map((name) => ({ name, likeness: compare(wanted, pairsOf(name)) }))
    .filter(({ likeness }) => likeness >= SIMILAR)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, MOST_TOLD).map(({ name }) => name);
}

/** Pairs of letters, with the first and the last letter by themselves. */
function pairsOf(text: string): Set<string> {
  const bare = text.slice(0, LONGEST).toLowerCase().replace(/[^\p{L}\d]/gu, "");
  const letters = [" ", ...bare, " "];
  return new Set(letters.slice(1).map((letter, at) => letters[at] + letter));
}

/** Dice's coefficient, from 0 to 1. */
function compare(a: Set<string>, b: Set<string>): number {
  let shared = 0;
  for (const pair of a) if (b.has(pair)) shared++;
  return 2 * shared / (a.size + b.size);
}
