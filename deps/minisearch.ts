// Ranked search in memory: BM25, prefixes and typing errors; small, typed, without
// dependencies. Only a search of tools loads it.
export { default as MiniSearch } from "minisearch";
