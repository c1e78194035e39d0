import type { DownstreamTool } from "../protocol/downstream.ts";
import { fields } from "../protocol/fields.ts";
import { head } from "../results/cut.ts";
import { toTellingWords, toWords } from "./words.ts";

/** Characters of a text, and parameters, that can be found. */
const LONGEST_TEXT = 600;
const MOST_PARAMETERS = 40;
const LONGEST_KEY = 100;
/** Characters of a name that alone can be found. */
const LONGEST_ALONE = 64;
/** Characters, and words, that are searched for. */
const LONGEST_QUERY = 500;
const MOST_WORDS = 8;
/** Words of a query that may be the name of a tool. */
const LONGEST_NAME = 4;

/** Where words may stand, and how much they weigh there. */
export const WEIGHTS = {
  name: 4,
  whole: 3,
  title: 3,
  text: 1,
  parameters: 1.5,
  from: 2,
};

/** The words of each field behind each other. */
export type WordsOfTool = Record<keyof typeof WEIGHTS, string>;

export const FIELDS = Object.keys(WEIGHTS) as (keyof WordsOfTool)[];

/** The words by which a tool is found. */
export function toWordsOfTool(
  { name, title = "", description = "", inputSchema }: DownstreamTool,
  server: { name: string; description?: string },
): WordsOfTool {
  const keys = Object.keys(fields(fields(inputSchema).properties))
    .slice(0, MOST_PARAMETERS).map((key) => cut(key, LONGEST_KEY));
  const from = tellingWords(server.description ?? "");
  const words = toWords(cut(name, LONGEST_TEXT));
  return {
    name: withPairs(words).join(" "),
    whole: words.join(""),
    title: tellingWords(title).join(" "),
    text: tellingWords(description).join(" "),
    parameters: keys.flatMap(toWords).join(" "),
    from: [...toWords(server.name), ...from].join(" "),
  };
}

/** The words of a query, and the name of a tool that they may be. */
export function toQueryWords(
  query: string,
): { words: string[]; name: string[] } {
  const all = new Set(toTellingWords(head(query, LONGEST_QUERY)));
  const words = [...all].slice(0, MOST_WORDS);
  const isName = words.length > 1 && words.length <= LONGEST_NAME;
  return { words, name: isName ? [words.join("")] : [] };
}

/** The words of a tool whose server has no room for more: those of its name. */
export function toNameAlone(words: WordsOfTool): WordsOfTool {
  const name = words.name.slice(0, LONGEST_ALONE);
  const whole = words.whole.slice(0, LONGEST_ALONE);
  return { name, whole, title: "", text: "", parameters: "", from: "" };
}

function tellingWords(text: string): string[] {
  return toTellingWords(cut(text, LONGEST_TEXT));
}

/** The start of a text; a letter may stand for a sentence of eighteen. */
function cut(text: string, longest: number): string {
  return head(head(text, longest).normalize("NFKD"), longest);
}

/** Words, and each two of them as if they were one. */
function withPairs(words: string[]): string[] {
  const pairs = words.slice(1).map((word, at) => `${words[at]}${word}`);
  return [...words, ...pairs];
}
