import { fields, is, isObject } from "../protocol/fields.ts";
import { lastPart } from "./names.ts";
import type { FunctionName } from "./types.ts";

/** Bytes of the documentation of a component. */
const MOST_DOCS = 4 * 2 ** 20;
/** Characters of a function's documentation. */
const LONGEST_DOCS = 10_000;
/** Worlds of a package that are looked at. */
const MOST_WORLDS = 100;

/** Finds what the doc comment of a function says. */
export type FindDocs = (fn: FunctionName) => string | undefined;

/** Reads the section `package-docs`: a version, and JSON; undefined if it is neither. */
export function maybeDocs(section: Uint8Array): FindDocs | undefined {
  if (section.length > MOST_DOCS || !(section[0]! <= 1)) return undefined;
  let docs: unknown;
  try {
    docs = JSON.parse(new TextDecoder().decode(section.subarray(1)));
  } catch {
    return undefined;
  }
  const interfaces = own(docs, "interfaces");
  const worlds = Object.values(fields(own(docs, "worlds")))
    .slice(0, MOST_WORLDS).map((world) => own(world, "func_exports"));
  return ({ interface: name, name: fn }) => {
    const owners = name === undefined
      ? worlds
      : [own(own(interfaces, lastPart(name)), "funcs")];
    for (const owner of owners) {
      // A text in version 0, else in a field.
      const found = own(owner, fn);
      const words = is.text(found) ? found : own(found, "docs");
      if (is.text(words)) return words.slice(0, LONGEST_DOCS);
    }
    return undefined;
  };
}

function own(data: unknown, name: string): unknown {
  return isObject(data) && Object.hasOwn(data, name) ? data[name] : undefined;
}
