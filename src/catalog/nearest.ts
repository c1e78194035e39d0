import { nearest } from "../did_you_mean.ts";
import { toWords } from "./words.ts";

/** Names that a message can show. */
const MOST = 3;
/** Names of a hostile server's: each wrong call compares them all. */
const MOST_COMPARED = 500;

/**
 * The names that a wrong one may have meant, the likeliest first: those that
 * differ by a few letters, then those that share the most of its words.
 */
export function nearestNames(word: string, all: readonly string[]): string[] {
  const names = all.slice(0, MOST_COMPARED);
  const wanted = new Set(toWords(word.slice(0, LONGEST_WORD)));
  const alike = names
    .map((name) => ({ name, shared: sharedWords(name, wanted) }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared)
    .map(({ name }) => name);
  const near = nearest(word, names, { most: MOST });
  return [...new Set([...near, ...alike])].slice(0, MOST);
}

const LONGEST_WORD = 256;

/** The part of all words of both that both have. */
function sharedWords(name: string, wanted: ReadonlySet<string>): number {
  const words = new Set(toWords(name));
  const shared = words.intersection(wanted).size;
  return shared / (words.size + wanted.size - shared);
}
