import type { MiniSearch } from "../../deps/minisearch.ts";
import type { DownstreamTool } from "../protocol/downstream.ts";
import { head } from "../results/cut.ts";
import { toAliases } from "./aliases.ts";
import { fields } from "../protocol/fields.ts";
import { toTellingWords, toWords } from "./words.ts";

/** Tools of a server that can be found. */
const MOST_TOOLS = 5000;
/** Characters of a description, and parameters, that can be found. */
const LONGEST_TEXT = 600;
const MOST_PARAMETERS = 40;
const LONGEST_KEY = 100;
/** Characters, and words, that are searched for. */
const LONGEST_QUERY = 500;
const MOST_WORDS = 8;
/** Words of a query that may be the name of a tool. */
const LONGEST_NAME = 4;

/** A tool that a search has found. */
export interface Hit {
  server: string;
  tool: DownstreamTool;
  /** Its name in Python, among all tools of the server. */
  alias: string;
}

/** A server's tools, as they are found. */
export interface IndexedServer {
  name: string;
  description?: string;
  tools: readonly DownstreamTool[];
}

/**
 * Finds tools by words of their names, titles, descriptions and parameters, the
 * best first, and forgives typing errors.
 *
 * A list of tools is indexed by the first search that needs it; until then the
 * library is not loaded. A list that has not changed costs nothing.
 */
export class ToolIndex {
  #search: Promise<MiniSearch<Entry>> | undefined;
  #indexed = new Map<string, { server: IndexedServer; entries: Entry[] }>();
  #vocabulary = new Map<string, number>();
  #nextId = 0;

  /**
   * Searches in these servers, and forgets all others.
   *
   * @param servers The list of tools of each is frozen: a new list is a new array.
   * @param options.isFound False for tools that are hidden.
   */
  async search(
    servers: readonly IndexedServer[],
    query: string,
    { limit, isFound = () => true }: {
      limit: number;
      isFound?: (hit: Hit) => boolean;
    },
  ): Promise<Hit[]> {
    const search = await (this.#search ??= openSearch());
    this.#update(search, servers);
    const { words, name } = toTerms(query);
    const found = search.search([...words, ...name].join(" "), {
      // A word that is known is not a typing error.
      fuzzy: (word) =>
        !name.includes(word) && !this.#vocabulary.has(word) && edits(word),
    });
    const hits: Hit[] = [];
    for (const { server, tool, alias } of found) {
      const hit = { server, tool, alias };
      if (hits.length < limit && isFound(hit)) hits.push(hit);
    }
    return hits;
  }

  #update(search: MiniSearch<Entry>, servers: readonly IndexedServer[]): void {
    const wanted = new Map(servers.map((server) => [server.name, server]));
    for (const [name, { server, entries }] of this.#indexed) {
      if (isSame(wanted.get(name), server)) continue;
      this.#indexed.delete(name);
      search.removeAll(entries);
      this.#count(entries, -1);
    }
    for (const [name, server] of wanted) {
      if (this.#indexed.has(name)) continue;
      const aliases = toAliases(server.tools.map(({ name }) => name));
      const entries = server.tools.slice(0, MOST_TOOLS).map((tool) => ({
        ...toWordsOf(tool, server),
        id: this.#nextId++,
        server: name,
        tool,
        alias: aliases.get(tool.name) ?? tool.name,
      }));
      this.#indexed.set(name, { server, entries });
      search.addAll(entries);
      this.#count(entries, 1);
    }
  }

  #count(entries: readonly Entry[], change: number): void {
    const words = entries.flatMap((entry) =>
      FIELDS.flatMap((field) => entry[field].split(" "))
    );
    for (const word of words) {
      const count = (this.#vocabulary.get(word) ?? 0) + change;
      if (count > 0) this.#vocabulary.set(word, count);
      else this.#vocabulary.delete(word);
    }
  }
}

/** Where words may stand, and how much they weigh there. */
const WEIGHTS = {
  name: 4,
  whole: 3,
  title: 3,
  text: 1,
  parameters: 1.5,
  from: 2,
};
const FIELDS = Object.keys(WEIGHTS) as (keyof typeof WEIGHTS)[];

/** The words of each field behind each other. */
type WordsOfTool = Record<keyof typeof WEIGHTS, string>;

interface Entry extends Hit, WordsOfTool {
  id: number;
}

async function openSearch(): Promise<MiniSearch<Entry>> {
  const { MiniSearch } = await import("../../deps/minisearch.ts");
  return new MiniSearch<Entry>({
    fields: FIELDS,
    storeFields: ["server", "tool", "alias"],
    tokenize: (words) => words === "" ? [] : words.split(" "),
    processTerm: (word) => word,
    searchOptions: {
      boost: WEIGHTS,
      prefix: (word) => word.length > 1,
      weights: { fuzzy: 0.3, prefix: 0.5 },
    },
  });
}

function toWordsOf(
  { name, title = "", description = "", inputSchema }: DownstreamTool,
  server: IndexedServer,
): WordsOfTool {
  const keys = Object.keys(fields(fields(inputSchema).properties))
    .slice(0, MOST_PARAMETERS).map((key) => key.slice(0, LONGEST_KEY));
  const tellingWords = (text: string) =>
    toTellingWords(head(text, LONGEST_TEXT));
  const words = {
    name: toNameWords(name),
    whole: [toWords(name).join("")],
    title: tellingWords(title),
    text: tellingWords(description),
    parameters: keys.flatMap(toWords),
    from: [...toWords(server.name), ...tellingWords(server.description ?? "")],
  };
  const joined = FIELDS.map((field) => [field, words[field].join(" ")]);
  return Object.fromEntries(joined) as WordsOfTool;
}

/** The words of a query, and the name of a tool that they may be. */
function toTerms(query: string): { words: string[]; name: string[] } {
  const all = new Set(toTellingWords(head(query, LONGEST_QUERY)));
  const words = [...all].slice(0, MOST_WORDS);
  const isName = words.length > 1 && words.length <= LONGEST_NAME;
  return { words, name: isName ? [words.join("")] : [] };
}

/** The letters that may be wrong in a word: two, as two may have changed places. */
function edits(word: string): number {
  return word.length < 3 ? 0 : word.length < 6 ? 1 : 2;
}

/** The words of a name, and each two of them as if they were one. */
function toNameWords(name: string): string[] {
  const words = toWords(name);
  const pairs = words.slice(1).map((word, at) => `${words[at]}${word}`);
  return [...words, ...pairs];
}

function isSame(one: IndexedServer | undefined, other: IndexedServer): boolean {
  return one?.tools === other.tools && one.description === other.description;
}
