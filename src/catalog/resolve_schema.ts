import type { Json } from "../protocol/run_result.ts";
import {
  isObject,
  type JsonObject,
  memberOf,
  textsOf,
} from "./bound_schema.ts";

/** Levels of references and of parts. */
const DEEPEST = 16;
/** Parts of a document's schemas, and their properties, in all. */
const MOST_PARTS = 4000;

/** How much may still be read: a schema can name its parts again and again. */
export class PartBudget {
  left: number = MOST_PARTS;
}

/** The schema that `#/…` names in its document; undefined if there is none. */
export function findSchema(
  root: JsonObject,
  pointer: string,
): JsonObject | undefined {
  if (pointer === "#") return root;
  if (!pointer.startsWith("#/")) return undefined;
  let place: Json | undefined = root;
  for (const part of pointer.slice(2).split("/")) {
    const key = unescape(part);
    if (Array.isArray(place)) place = place[Number(key)];
    else if (isObject(place) && Object.hasOwn(place, key)) place = place[key];
    else return undefined;
  }
  return isObject(place) ? place : undefined;
}

/** The name that a reference gives its schema: the end of its path. */
export function nameOfReference(pointer: string): string {
  return unescape(pointer.slice(pointer.lastIndexOf("/") + 1));
}

function unescape(part: string): string {
  const text = part.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * An object's schema as one: with the members of its reference and of all parts
 * of `allOf`. Of `anyOf` and `oneOf` it has every property, and those that all
 * variants require, unless it has properties beside them.
 */
export function flatten(
  root: JsonObject,
  schema: JsonObject,
  budget: PartBudget,
): JsonObject {
  return flat(schema, new Set());

  function flat(schema: JsonObject, above: ReadonlySet<Json>): JsonObject {
    const isTooMuch = above.size > DEEPEST || budget.left <= 0;
    if (isTooMuch || above.has(schema)) return {};
    const properties = memberOf(schema, "properties") ?? {};
    budget.left -= 1 + Object.keys(properties).length;
    const within = new Set([...above, schema]);
    const { $ref, allOf, ...own } = schema;
    const named = typeof $ref === "string" ? findSchema(root, $ref) : undefined;
    const inherited = [named, ...(Array.isArray(allOf) ? allOf : [])]
      .filter(isObject).map((part) => flat(part, within))
      // Each copies all before it.
      .filter((part) => Object.keys(part).length > 0);
    const whole = [...inherited, own].reduce(both, {});
    const variants = [whole.anyOf, whole.oneOf].flat().filter(isObject);
    if (whole.properties !== undefined || variants.length === 0) return whole;
    const flats = variants.map((variant) => flat(variant, within));
    return flats.every((variant) => variant.properties === undefined)
      ? whole
      : { ...whole, ...flats.reduce(either) };
  }
}

function both(one: JsonObject, other: JsonObject): JsonObject {
  const properties = propertiesOfBoth(one, other);
  const required = [...textsOf(one.required), ...textsOf(other.required)];
  return {
    ...one,
    ...other,
    ...(properties ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

function either(one: JsonObject, other: JsonObject): JsonObject {
  const required = new Set(textsOf(other.required));
  return {
    type: "object",
    properties: propertiesOfBoth(one, other) ?? {},
    required: textsOf(one.required).filter((key) => required.has(key)),
  };
}

function propertiesOfBoth(
  one: JsonObject,
  other: JsonObject,
): JsonObject | undefined {
  const [first, second] = [one, other].map((schema) =>
    memberOf(schema, "properties")
  );
  return first || second ? { ...first, ...second } : undefined;
}
