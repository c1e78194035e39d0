import type { MiniSearch } from "../../deps/minisearch.ts";
import type { DownstreamTool } from "../protocol/downstream.ts";
import {
  FIELDS,
  toNameAlone,
  toQueryWords,
  toWordsOfTool,
  WEIGHTS,
  type WordsOfTool,
} from "./tool_words.ts";
import { toAliases } from "./identifiers.ts";

/** Tools of a server that can be found. */
const MOST_TOOLS = 5000;
/** Characters of all words of a server: a server may have another list each second. */
const MOST_CHARACTERS = 400_000;

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
    const { words, name } = toQueryWords(query);
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
      let left = MOST_CHARACTERS;
      const entries = server.tools.slice(0, MOST_TOOLS).map((tool) => {
        const words = toWordsOfTool(tool, server);
        left -= FIELDS.reduce((sum, field) => sum + words[field].length, 0);
        return {
          ...(left > 0 ? words : toNameAlone(words)),
          id: this.#nextId++,
          server: name,
          tool,
          alias: aliases.get(tool.name) ?? tool.name,
        };
      });
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

function isSame(one: IndexedServer | undefined, other: IndexedServer): boolean {
  return one?.tools === other.tools && one.description === other.description;
}

/** The letters that may be wrong in a word: two, as two may have changed places. */
function edits(word: string): number {
  return word.length < 3 ? 0 : word.length < 6 ? 1 : 2;
}
