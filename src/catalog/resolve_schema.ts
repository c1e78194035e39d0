import { maybe } from "../errors.ts";
import type { Json } from "../protocol/run_result.ts";
import {
  isObject,
  type JsonObject,
  memberOf,
  textsOf,
} from "./bound_schema.ts";

/** Levels of references and of parts. */
const DEEPEST = 16;
/** Parts of a document's schemas, and what they have, in all. */
const MOST_PARTS = 12_000;

/** The same for a document of few characters, and characters for each part of others. */
const LEAST_PARTS = 200;
const PART_CHARACTERS = 4;

/**
 * How much may still be read: a schema can name its parts again and again, and a
 * server can list thousands of such schemas.
 */
export class PartBudget {
  left: number;

  /** @param root The document; absent for the largest. */
  constructor(root?: JsonObject) {
    const parts = root
      ? JSON.stringify(root).length / PART_CHARACTERS
      : MOST_PARTS;
    this.left = Math.min(Math.max(parts, LEAST_PARTS), MOST_PARTS);
  }
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
  return maybe(() => decodeURIComponent(text)) ?? text;
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
    budget.left -= sizeOf(schema);
    const within = new Set([...above, schema]);
    const { $ref, allOf, ...own } = schema;
    const named = typeof $ref === "string" ? findSchema(root, $ref) : undefined;
    const inherited = [named, ...(Array.isArray(allOf) ? allOf : [])]
      .filter(isObject).map((part) => flat(part, within));
    const whole = all([...inherited, own]);
    const variants = [whole.anyOf, whole.oneOf].flat().filter(isObject);
    if (whole.properties !== undefined || variants.length === 0) return whole;
    const flats = variants.map((variant) => flat(variant, within));
    return flats.every((variant) => variant.properties === undefined)
      ? whole
      : { ...whole, ...either(flats) };
  }
}

/** All of it is copied by each schema that names it. */
function sizeOf(schema: JsonObject): number {
  const properties = memberOf(schema, "properties") ?? {};
  return 1 + Object.keys(schema).length + Object.keys(properties).length +
    textsOf(schema.required).length;
}

/** As one, at once: a schema can have thousands of parts. */
function all(parts: readonly JsonObject[]): JsonObject {
  const properties = propertiesOf(parts);
  const required = parts.flatMap((part) => textsOf(part.required));
  return {
    ...Object.fromEntries(parts.flatMap((part) => Object.entries(part))),
    ...(properties ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

function either([first = {}, ...others]: readonly JsonObject[]): JsonObject {
  if (others.length === 0) return first;
  return {
    type: "object",
    properties: propertiesOf([first, ...others]) ?? {},
    required: others.reduce((left, { required }) => {
      const texts = new Set(textsOf(required));
      return left.filter((key) => texts.has(key));
    }, textsOf(first.required)),
  };
}

function propertiesOf(parts: readonly JsonObject[]): JsonObject | undefined {
  const found = parts.map((part) => memberOf(part, "properties"))
    .filter((one) => one !== undefined);
  return found.length === 0
    ? undefined
    : Object.fromEntries(found.flatMap((one) => Object.entries(one)));
}
