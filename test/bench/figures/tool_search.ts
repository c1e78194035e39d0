import process from "node:process";
import { assertMatch } from "../../../deps/assert.ts";
import {
  type IndexedServer,
  ToolIndex,
} from "../../../src/catalog/tool_index.ts";
import { makeManyTools, QUERIES } from "../../support/many_tools.ts";
import { toTable } from "../table.ts";

/** CPU time of searches in 2,000 tools of 20 servers, in ms. */
export interface ToolSearch {
  /** The first search: it loads the library, and indexes all. */
  first: number;
  /** A search after a server's list has changed: 100 tools. */
  changed: number;
  /** Of each query, one of many. */
  queries: { query: string; ours: number; plain: number }[];
}

/**
 * Searches, and checks the best answer of each; beside it a plain walk over the
 * texts of all tools, which knows neither ranks nor typing errors.
 */
export async function measureToolSearch(rounds: number): Promise<ToolSearch> {
  const servers = makeManyTools();
  const index = new ToolIndex();
  const search = async (servers: IndexedServer[], query: string) => {
    const [best] = await index.search(servers, query, { limit: 5 });
    return best?.tool.name ?? "";
  };
  const first = await cpuMsOf(() => search(servers, "warm up"));
  const [one, ...others] = servers;
  const changed = one ? [{ ...one, tools: [...one.tools] }, ...others] : [];
  const again = await cpuMsOf(() => search(changed, "warm up"));
  const texts = servers.flatMap(({ tools }) =>
    tools.map((tool) => JSON.stringify(tool).toLowerCase())
  );
  const queries: ToolSearch["queries"] = [];
  for (const [query, tool] of QUERIES) {
    assertMatch(await search(changed, query), tool);
    const words = query.toLowerCase().split(" ");
    queries.push({
      query,
      ours: await perRound(rounds, () => search(changed, query)),
      plain: await perRound(rounds, () => walk(texts, words)),
    });
  }
  return { first, changed: again, queries };
}

/** A table of a measurement. */
export function toolSearchReport(
  { first, changed, queries }: ToolSearch,
): string {
  const toMs = (ms: number) => `${ms.toFixed(2)} ms`;
  return toTable(["search in 2,000 tools, CPU time", "ours", "plain walk"], [
    ["the first, which indexes all", toMs(first), ""],
    ["after 100 of them have changed", toMs(changed), ""],
    ...queries.map(({ query, ours, plain }) =>
      [`"${query}"`, toMs(ours), toMs(plain)] as const
    ),
  ]);
}

function walk(texts: readonly string[], words: readonly string[]): number {
  return texts.filter((text) => words.every((word) => text.includes(word)))
    .length;
}

async function perRound(rounds: number, work: () => unknown): Promise<number> {
  // Those that compile the code do not count.
  for (let round = 0; round < rounds; round++) await work();
  const all = await cpuMsOf(async () => {
    for (let round = 0; round < rounds; round++) await work();
  });
  return all / rounds;
}

async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
