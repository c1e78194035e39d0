import type { Json } from "../protocol/run_result.ts";
import {
  isObject,
  type JsonObject,
  memberOf,
  textsOf,
} from "./bound_schema.ts";
import { toIdentifiers } from "./identifiers.ts";
import { maybeLiteral, toLine, toPlainText } from "./python_text.ts";
import type { PythonTypes } from "./python_types.ts";
import { flatten, PartBudget } from "./resolve_schema.ts";

/** Parameters that a tool's signature shows. */
const MOST_PARAMETERS = 200;
/** Characters of a parameter's description. */
const LONGEST_DESCRIPTION = 1000;
/** Characters of a default. */
const LONGEST_DEFAULT = 60;

/** A parameter of a tool, as Python sees it. */
export type Parameter = {
  /** A Python identifier. */
  name: string;
  /** The key of JSON. */
  key: string;
  /** A Python annotation, as text. */
  type: string;
  isRequired: boolean;
  /** Undefined, too, if it is long. */
  default?: Json;
  /** With format and bounds. */
  description?: string;
};

/**
 * The parameters of a tool in the order of its schema, required ones first.
 *
 * @returns With the number of those that are left out.
 */
export function toParameters(
  schema: JsonObject,
  types: PythonTypes,
): { parameters: Parameter[]; more: number } {
  const whole = flatten(schema, schema, new PartBudget(schema));
  const required = new Set(textsOf(whole.required));
  const all = Object.entries(memberOf(whole, "properties") ?? {})
    .map(([key, schema]) => ({ key, schema, isRequired: required.has(key) }));
  const isFirst = Object.groupBy(all, (one) => String(one.isRequired));
  const shown = [...isFirst.true ?? [], ...isFirst.false ?? []]
    .slice(0, MOST_PARAMETERS);
  const names = toIdentifiers(shown.map(({ key }) => key));
  const parameters = shown.map(({ key, schema, isRequired }) => ({
    name: names.get(key) ?? key,
    key,
    type: types.of(schema, key),
    isRequired,
    ...toDefault(schema),
    ...toDescription(schema),
  }));
  return { parameters, more: all.length - shown.length };
}

/** A parameter as it stands in a signature; `...` for a default that is not known. */
export function toSignaturePart(
  { name, type, isRequired, default: value }: Parameter,
): string {
  if (isRequired) return `${name}: ${type}`;
  const shown = value === undefined ? "..." : maybeLiteral(value, Infinity);
  return `${name}: ${type} = ${shown}`;
}

/** A parameter's line in a docstring; undefined if it has nothing to say. */
export function maybeDocLine(
  { name, key, description }: Parameter,
): string | undefined {
  const alias = name === key
    ? ""
    : ` (JSON key ${JSON.stringify(toLine(key, 100))})`;
  if (alias === "" && description === undefined) return undefined;
  return `${name}${alias}: ${description ?? ""}`.trim();
}

function toDefault(schema: Json): { default?: Json } {
  if (!isObject(schema) || schema.default === undefined) return {};
  const isShort = maybeLiteral(schema.default, LONGEST_DEFAULT) !== undefined;
  return isShort ? { default: schema.default } : {};
}

function toDescription(schema: Json): { description?: string } {
  if (!isObject(schema)) return {};
  const { description, format, title } = schema;
  const said = [description, title].find((text) => typeof text === "string");
  // A title is often the name once more.
  const text = typeof description === "string" || format ? said : undefined;
  const notes = toNotes(schema);
  const whole = [
    typeof text === "string" ? toPlainText(text, LONGEST_DESCRIPTION) : "",
    notes.length > 0 ? `(${notes.join("; ")})` : "",
  ].filter((part) => part !== "").join(" ");
  return whole === "" ? {} : { description: whole };
}

function toNotes(schema: JsonObject): string[] {
  return NOTES.flatMap(([key, label]) => {
    const value = schema[key];
    // Libraries write the bounds of all safe integers.
    const isSaid = typeof value === "string" ||
      typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER;
    return isSaid ? [`${label} ${toLine(String(value), 60)}`] : [];
  }).concat(toLongDefault(schema.default));
}

/** A default that does not stand in the signature. */
function toLongDefault(value: Json | undefined): string[] {
  const isShown = value === undefined ||
    maybeLiteral(value, LONGEST_DEFAULT) !== undefined;
  return isShown ? [] : [`default ${toLine(JSON.stringify(value), 60)}`];
}

const NOTES = [
  ["format", "format"],
  ["pattern", "pattern"],
  ["minimum", "at least"],
  ["maximum", "at most"],
  ["exclusiveMinimum", "more than"],
  ["exclusiveMaximum", "less than"],
  ["minLength", "characters: at least"],
  ["maxLength", "characters: at most"],
  ["minItems", "items: at least"],
  ["maxItems", "items: at most"],
] as const;
