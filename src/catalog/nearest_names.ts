import { nearest } from "./nearest.ts";
import { toWords } from "./words.ts";

/** Names that a message can show. */
const MOST = 3;

/**
 * The names that a wrong one may have meant, the likeliest first: those that
 * differ by a few letters, then those that share the most of its words.
 */
export function nearestNames(word: string, names: readonly string[]): string[] {
  const wanted = new Set(toWords(word.slice(0, LONGEST)));
  const alike = names
    .map((name) => ({ name, shared: sharedWords(name, wanted) }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared)
    .map(({ name }) => name);
  const near = nearest(word, names, { most: MOST });
  return [...new Set([...near, ...alike])].slice(0, MOST);
}

const LONGEST = 256;

/** The part of all words of both that both have. */
function sharedWords(name: string, wanted: ReadonlySet<string>): number {
  const words = new Set(toWords(name));
  const shared = words.intersection(wanted).size;
  return shared / (words.size + wanted.size - shared);
}
