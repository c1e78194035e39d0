/** Keywords of Python 3.14, and a name that nothing may be given. */
const KEYWORDS = new Set(
  ("False None True and as assert async await break class continue def del " +
    "elif else except finally for from global if import in is lambda nonlocal " +
    "not or pass raise return try while with yield __debug__").split(" "),
);
/** Keywords in some places only: names in others. */
const SOFT_KEYWORDS = new Set(["case", "match", "type"]);
/** Characters of an identifier. */
const LONGEST = 64;

/** Whether Python takes a name everywhere; of the letters, those of ASCII. */
export function isIdentifier(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !KEYWORDS.has(name);
}

/** Whether it is a keyword somewhere. */
export function isKeyword(name: string): boolean {
  return KEYWORDS.has(name) || SOFT_KEYWORDS.has(name);
}

/**
 * Gives each key of JSON a Python identifier of its own: good ones stay as they
 * are, whatever stands before them.
 *
 * @example Keys of arguments
 * ```ts
 * import { toIdentifiers } from "./identifiers.ts";
 * import { deepStrictEqual } from "node:assert/strict";
 *
 * deepStrictEqual(
 *   [...toIdentifiers(["max-size", "max_size", "from", "maxSize"]).values()],
 *   ["max_size_2", "max_size", "from_", "maxSize"],
 * );
 * ```
 */
export function toIdentifiers(keys: readonly string[]): Map<string, string> {
  const isGood = (key: string) => key.length <= LONGEST && isIdentifier(key);
  const isFree = freeNames(keys.filter(isGood));
  return new Map(
    keys.map((key) => [key, isGood(key) ? key : isFree(toIdentifier(key))]),
  );
}

/**
 * Gives a name of which there is none yet: as it is, or with `_2`, `_3` behind it.
 *
 * @param taken Names that are never given.
 */
export function freeNames(taken: Iterable<string>): (name: string) => string {
  const names = new Set(taken);
  const counts = new Map<string, number>();
  return (name) => {
    let count = counts.get(name) ?? 1;
    let free = count === 1 ? name : `${name}_${count}`;
    while (names.has(free)) free = `${name}_${++count}`;
    names.add(free);
    counts.set(name, count);
    return free;
  };
}

function toIdentifier(key: string): string {
  const word = key.slice(0, LONGEST).replace(/[^A-Za-z0-9_]/g, "_");
  const start = /^\d/.test(word) || word === "" ? `_${word}` : word;
  return KEYWORDS.has(start) ? `${start}_` : start;
}

/**
 * Gives each name a Python identifier of its own: in lower case, `_` for other
 * characters than letters and digits; `_2`, `_3` behind one that is taken.
 *
 * @param taken Names that are never given.
 *
 * @example Names of tools
 * ```ts
 * import { toAliases } from "./identifiers.ts";
 * import { deepStrictEqual } from "node:assert/strict";
 *
 * deepStrictEqual(
 *   [...toAliases(["Get-Time", "get_time", "2d", "import"]).values()],
 *   ["get_time", "get_time_2", "_2d", "import_"],
 * );
 * ```
 */
export function toAliases(
  names: Iterable<string>,
  taken: readonly string[] = [],
): Map<string, string> {
  const toFree = freeNames(taken);
  return new Map(
    [...new Set(names)].map((name) => [name, toFree(toAlias(name))]),
  );
}

function toAlias(name: string): string {
  const word = name.toLowerCase().replace(/[^a-z0-9_]/g, "_");
  const start = /^\d/.test(word) || word === "" ? `_${word}` : word;
  return isKeyword(start) ? `${start}_` : start;
}
