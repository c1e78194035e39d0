import { freeNames, isKeyword } from "./identifiers.ts";

/**
 * Gives each name a Python identifier of its own: in lower case, `_` for other
 * characters than letters and digits; `_2`, `_3` behind one that is taken.
 *
 * @example Names of tools
 * ```ts
 * import { toAliases } from "./aliases.ts";
 * import { deepStrictEqual } from "node:assert/strict";
 *
 * deepStrictEqual(
 *   [...toAliases(["Get-Time", "get_time", "2d", "import"]).values()],
 *   ["get_time", "get_time_2", "_2d", "import_"],
 * );
 * ```
 */
export function toAliases(names: Iterable<string>): Map<string, string> {
  const toFree = freeNames([]);
  return new Map(
    [...new Set(names)].map((name) => [name, toFree(toAlias(name))]),
  );
}

function toAlias(name: string): string {
  const word = name.toLowerCase().replace(/[^a-z0-9_]/g, "_");
  const start = /^\d/.test(word) || word === "" ? `_${word}` : word;
  return isKeyword(start) ? `${start}_` : start;
}
