import type { Json } from "../protocol/run_result.ts";
import { cutValue, takeMore } from "./cut_value.ts";

// As `runner/summaries.py`, which also knows Python's types and shapes, has them.
const ROOM = 1600;
const MEMBERS = 20;
const LEVELS = 8;
const ENDS = 5;
/** Characters in which a large member can be summed up. */
const LEAST = 160;

/** Sums up a value whose engine has not done it; its types are those of JSON. */
export function toPlainSummary(
  value: Json,
  room: number = ROOM,
  levels: number = LEVELS,
): Json {
  if (typeof value !== "object" || value === null || lengthOf(value) <= room) {
    return cutValue(value, room);
  }
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const join = (entries: [string, Json][]): Json =>
    isList ? entries.map(([, item]) => item) : Object.fromEntries(entries);
  if (entries.length <= MEMBERS && levels > 0) {
    const least = Math.floor(room / entries.length);
    const lengths = entries.map(([, item]) => lengthOf(item));
    const small = lengths.filter((length) => length <= least);
    const left = room - small.reduce((sum, length) => sum + length, 0);
    const share = Math.floor(left / Math.max(entries.length - small.length, 1));
    if (share >= LEAST) {
      return join(entries.map(([key, item]) => [
        key,
        toPlainSummary(item, Math.max(share, least), levels - 1),
      ]));
    }
  }
  const items = entries.map(([key, value]) => ({
    ...{ key: isList ? "" : key, value },
  }));
  const more = takeMore(items);
  const kept = entries.slice(0, items.length);
  const cut = (end: [string, Json][]) => cutValue(join(end), room / 2);
  return {
    ...{ type: isList ? "list" : "dict" },
    length: kept.length + (more?.count ?? 0),
    head: cut(kept.slice(0, ENDS)),
    ...more ? {} : { tail: cut(kept.slice(-ENDS)) },
  };
}

function lengthOf(value: Json): number {
  return JSON.stringify(value).length;
}
