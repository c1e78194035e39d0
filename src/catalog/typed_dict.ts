import type { Json } from "../protocol/run_result.ts";
import {
  isObject,
  type JsonObject,
  memberOf,
  textsOf,
} from "./bound_schema.ts";
import { isIdentifier } from "./identifiers.ts";
import { toLine, toStringLiteral } from "./python_text.ts";

/** Fields of a class, and characters of a key; the rest is left out. */
const MOST_FIELDS = 60;
const LONGEST_KEY = 200;
/** Characters of a description. */
const LONGEST_COMMENT = 120;

/** A field of an object. */
export interface Field {
  key: string;
  type: string;
  isRequired: boolean;
  comment: string;
}

/** The fields of an object's schema. */
export function toFields(
  view: JsonObject,
  typeOf: (schema: Json, key: string) => string,
): Field[] {
  const required = new Set(textsOf(view.required));
  const properties = Object.entries(memberOf(view, "properties") ?? {})
    .filter(([key]) => key.length <= LONGEST_KEY);
  return properties.slice(0, MOST_FIELDS).map(([key, schema]) => ({
    key,
    type: typeOf(schema, key),
    isRequired: required.has(key),
    comment: isObject(schema) && typeof schema.description === "string"
      ? toLine(schema.description, LONGEST_COMMENT)
      : "",
  }));
}

/**
 * The source of a class of dictionaries.
 *
 * @param open Classes that are not there yet when Python reads this one.
 */
export function renderTypedDict(
  name: string,
  fields: readonly Field[],
  open: ReadonlySet<string>,
): string {
  if (fields.every(({ key }) => isIdentifier(key) && !key.startsWith("__"))) {
    const lines = fields.map((field) =>
      `    ${field.key}: ${annotationOf(field)}${commentOf(field)}`
    );
    const body = lines.length > 0 ? lines : ["    pass"];
    return [`class ${name}(TypedDict):`, ...body].join("\n");
  }
  const isOpen = new RegExp(`\\b(?:${[name, ...open].join("|")})\\b`);
  const lines = fields.map((field) => {
    const type = annotationOf(field);
    const text = isOpen.test(type) ? toStringLiteral(type) : type;
    return `    ${toStringLiteral(field.key)}: ${text},${commentOf(field)}`;
  });
  return [`${name} = TypedDict("${name}", {`, ...lines, "})"].join("\n");
}

function annotationOf({ type, isRequired }: Field): string {
  return isRequired ? type : `NotRequired[${type}]`;
}

function commentOf({ comment }: Field): string {
  return comment === "" ? "" : `  # ${comment}`;
}
