import { fields, is, isObject } from "../protocol/fields.ts";
import { lastPart } from "./names.ts";
import type { Reader } from "./reader.ts";
import type { WitFunction } from "./types.ts";

/** Bytes of the documentation of a component. */
const MOST_DOCS = 4 * 2 ** 20;
/** Characters of a function's documentation. */
const LONGEST_DOCS = 10_000;

/** Reads the section `package-docs`: a version, and JSON; undefined if it is neither. */
export function maybeDocs(section: Reader): unknown {
  if (section.left === 0 || section.left > MOST_DOCS) return undefined;
  if (section.byte() > 1) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(section.take(section.left)));
  } catch {
    return undefined;
  }
}

/** Finds what a function's doc comment says: a text in version 0, else in a field of it. */
export function findDocs(
  docs: unknown,
  fn: Pick<WitFunction, "interface" | "name">,
): string | undefined {
  const owners = fn.interface === undefined
    ? Object.values(fields(own(docs, "worlds")))
      .map((world) => own(world, "func_exports"))
    : [own(own(own(docs, "interfaces"), lastPart(fn.interface)), "funcs")];
  for (const owner of owners.slice(0, MOST_WORLDS)) {
    const found = own(owner, fn.name);
    const words = is.text(found) ? found : own(found, "docs");
    if (is.text(words)) return words.slice(0, LONGEST_DOCS);
  }
  return undefined;
}

/** Worlds of a package that are looked at. */
const MOST_WORLDS = 100;

function own(data: unknown, name: string): unknown {
  return isObject(data) && Object.hasOwn(data, name) ? data[name] : undefined;
}
