import { isObject } from "../../../protocol/fields.ts";
import type { Json } from "../../../protocol/run_result.ts";
import {
  checkText,
  type Hashed,
  mustBe,
  Place,
  refuseRounded,
  type Schema,
} from "./monty_parts.ts";
import {
  MONTY_OBJECT,
  type Values,
  type Variant,
  VARIANTS,
} from "./monty_variants.ts";

export { MONTY_OBJECT };

/** The values that are their own tags. */
const SINGLETONS = ["None", "Ellipsis"];

/** Values in each other. */
const MOST_DEPTH = 100;

/** Tags by their lower case. */
const TAGS = new Map(
  Object.keys(VARIANTS).map((tag) => [tag.toLowerCase(), tag]),
);

/** Levels of JSON in a result: official clients read at most 200 of a message. */
const MOST_LEVELS = 180;

/** JSON Schema of a MontyObject, for `$defs` of a tool's schema. */
export function toMontySchema({ isOutput }: { isOutput: boolean }): Schema {
  const variants = Object.entries(VARIANTS)
    .filter(([, variant]) => isOutput || !variant.isOutput)
    .map(([tag, { content }]) => [tag, content.schema]);
  return {
    anyOf: [{ enum: SINGLETONS }, {
      type: "object",
      properties: Object.fromEntries(variants),
      ...{ minProperties: 1, maxProperties: 1, additionalProperties: false },
    }],
  };
}

/**
 * Checks a value for Python. An object whose only key is a tag is a MontyObject, and the
 * strings "None" and "Ellipsis" are; all else is plain JSON, also within a MontyObject.
 *
 * @param name That errors give it.
 * @throws {TypeError | RangeError} If the engine could not read it, or would read
 * another value; the message names its place, the value, and a right value.
 */
export function checkMontyObject(value: unknown, name: string): void {
  checkValue(value, new Place(name));
}

function checkValue(value: unknown, place: Place): void {
  if (typeof value === "string") return checkText(value, place);
  if (typeof value === "number") return checkNumber(value, place);
  if (typeof value === "boolean" || value === null) return;
  if (Array.isArray(value)) {
    refuseHash("List", "Tuple", place);
    return checkItems(value, place, undefined);
  }
  if (!isObject(value)) mustBe(value, place, "JSON");
  const [tag, variant] = readTag(value);
  if (!variant) return checkPlain(value, place);
  if (variant.isOutput) {
    throw new TypeError(
      `${place.path} is a ${tag}, which only results have: send the value that it shows, or its text as a String`,
    );
  }
  const { content, values } = variant;
  if (values?.instead) refuseHash(tag, values.instead, place);
  content.check(value[tag], place.part(tag));
  if (values) checkInside(value[tag], values, place.part(tag));
}

function checkNumber(value: number, place: Place): void {
  if (!Number.isFinite(value)) {
    throw new RangeError(
      `${place.path} is a number that is too large: send {"Float": "Infinity"}`,
    );
  }
  const remedy = 'send {"Int": "…"} with its digits, or {"Float": …}';
  refuseRounded(value, place, remedy);
}

/** Checks an object that is not a MontyObject: a dict. */
function checkPlain(value: Record<string, unknown>, place: Place): void {
  refuseHash("Dict", "Tuple of pairs", place);
  const keys = Object.keys(value);
  const [key = ""] = keys;
  const tag = keys.length === 1 && /^[A-Z]/.test(key) &&
    TAGS.get(key.toLowerCase());
  if (tag) {
    throw new TypeError(
      `${place.path} has the unknown tag "${key}": send {"${tag}": …}, or a dict with that key as {"Dict": [["${key}", …]]}`,
    );
  }
  refuseDepth(place);
  for (const key of keys) {
    checkText(key, place);
    checkValue(value[key], place.value(key));
  }
}

/** Checks the values in the content of a tag. */
function checkInside(content: unknown, values: Values, place: Place): void {
  const items = itemsOf(content, values);
  const { field, isPairs, hashes } = values;
  const at = field === undefined ? place : place.part(field);
  const hashed = hashes === "as-it" ? place.hashed : hashes && HASHED[hashes];
  if (!isPairs) return checkItems(items, at, hashed);
  refuseDepth(place);
  for (const [index, pair] of items.entries()) {
    const place = at.part(index);
    if (!isPair(pair)) mustBe(pair, place, "a pair, [key, value]");
    checkValue(pair[0], place.value(0, hashed));
    checkValue(pair[1], place.value(1));
  }
}

const HASHED = {
  keys: "a key of a Dict",
  elements: "an element of a set",
} as const;

function checkItems(items: unknown[], place: Place, hashed: Hashed): void {
  refuseDepth(place);
  for (const [index, item] of items.entries()) {
    checkValue(item, place.value(index, hashed));
  }
}

function refuseDepth(place: Place): void {
  if (place.depth < MOST_DEPTH) return;
  throw new RangeError(
    `${place.path} is nested too deep, in ${MOST_DEPTH} other values: send less deep data, or JSON as a string for json.loads()`,
  );
}

function refuseHash(tag: string, instead: string, place: Place): void {
  if (!place.hashed) return;
  throw new TypeError(
    `${place.path} is a ${tag}, which cannot be ${place.hashed}, as Python cannot hash it: send a ${instead}`,
  );
}

/**
 * Makes a MontyObject, by its schema, of what an engine has given: that is hostile, and
 * parts of it may have been cut. What is not a MontyObject becomes a Repr of itself.
 */
export function toMontyObject(value: Json, levels: number = MOST_LEVELS): Json {
  if (typeof value === "string" && SINGLETONS.includes(value)) return value;
  const [tag, variant] = readTag(value);
  if (!variant || !isObject(value)) return toRepr(value);
  const content: Json = value[tag] ?? null;
  try {
    variant.content.check(content, new Place(tag));
  } catch {
    return toRepr(typeof content === "string" ? content : value);
  }
  const { values } = variant;
  if (!values) return { [tag]: content };
  const { field, isPairs } = values;
  const left = levels - (field === undefined ? 1 : 2) - (isPairs ? 2 : 1);
  if (left < 0) return toRepr("<too deep>");
  const items = itemsOf(content, values).map((item) =>
    isPairs
      ? toPair(item).map((one) => toMontyObject(one, left))
      : toMontyObject(item, left)
  );
  return {
    [tag]: field === undefined ? items : { ...Object(content), [field]: items },
  };
}

/** A pair; one that is a note, or was cut, in the form of a pair. */
function toPair(item: Json): [Json, Json] {
  return isPair(item) ? item : [toRepr("<cut>"), toRepr(item)];
}

function toRepr(value: Json): Json {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { Repr: text.toWellFormed() };
}

/** Reads the tag of a value, and its variant, which plain JSON does not have. */
function readTag(value: unknown): [tag: string, variant?: Variant] {
  const [tag = "", ...others] = isObject(value) ? Object.keys(value) : [];
  const isTag = others.length === 0 && Object.hasOwn(VARIANTS, tag);
  const variant = isTag ? VARIANTS[tag] : undefined;
  return variant ? [tag, variant] : [tag];
}

function itemsOf<Value>(content: Value, { field }: Values): Value[] {
  const items = field === undefined
    ? content
    : Reflect.get(Object(content), field);
  return Array.isArray(items) ? items : [];
}

function isPair<Item>(items: Item): items is Item & [Item, Item] {
  return Array.isArray(items) && items.length === 2;
}
