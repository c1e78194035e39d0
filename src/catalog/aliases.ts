/** Keywords of Python 3.14, with those that are keywords in some places only. */
const KEYWORDS = new Set(
  ("False None True and as assert async await break case class continue def " +
    "del elif else except finally for from global if import in is lambda " +
    "match nonlocal not or pass raise return try type while with yield")
    .split(" "),
);

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
  const taken = new Set<string>();
  const aliases = new Map<string, string>();
  for (const name of new Set(names)) {
    const alias = toAlias(name);
    let free = alias;
    for (let count = 2; taken.has(free); count++) free = `${alias}_${count}`;
    taken.add(free);
    aliases.set(name, free);
  }
  return aliases;
}

export function isKeyword(name: string): boolean {
  return KEYWORDS.has(name);
}

function toAlias(name: string): string {
  const word = name.toLowerCase().replace(/[^a-z0-9_]/g, "_");
  const start = /^\d/.test(word) || word === "" ? `_${word}` : word;
  return KEYWORDS.has(start) ? `${start}_` : start;
}
