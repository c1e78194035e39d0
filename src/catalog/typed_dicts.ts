import { freeNames, isIdentifier } from "./identifiers.ts";
import type { Json } from "../protocol/run_result.ts";
import {
  isObject,
  type JsonObject,
  memberOf,
  textsOf,
} from "./bound_schema.ts";
import { toLine, toStringLiteral } from "./python_text.ts";

/** Characters of all classes of a stub. */
const LONGEST = 12_000;

/** The `TypedDict` classes of a stub. */
export class TypedDicts {
  #sources: string[] = [];
  #names = new Map<string, string>();
  #open = new Set<string>();
  #mentioned = new Set<string>();
  #left = LONGEST;
  #toFree = freeNames(NAMES_OF_STUBS);

  /** The source of each, behind those that it names. */
  get sources(): readonly string[] {
    return this.#sources;
  }

  /** Gives the type back: a class within itself keeps its name. */
  mention(type: string): string {
    if (this.#open.has(type)) this.#mentioned.add(type);
    return type;
  }

  /**
   * Adds a class, if there is room; classes of the same fields are one.
   *
   * @param name Any text.
   * @param fieldsOf Told the name that it gets.
   */
  maybeAdd(
    name: string,
    fieldsOf: (name: string) => Field[],
  ): string | undefined {
    if (this.#left <= 0) return undefined;
    const free = this.#toFree(toClassName(name));
    this.#open.add(free);
    const fields = fieldsOf(free);
    this.#open.delete(free);
    const body = JSON.stringify(fields);
    const same = this.#names.get(body);
    if (same !== undefined && !this.#mentioned.has(free)) return same;
    const source = renderTypedDict(free, fields, this.#open);
    this.#left -= source.length;
    this.#names.set(body, free);
    this.#sources.push(source);
    return free;
  }
}

/** Names that stubs use themselves. */
const NAMES_OF_STUBS =
  "Any Literal NotRequired Result TypedDict False None True".split(" ");

function toClassName(name: string): string {
  const words = name.slice(0, 60).split(/[^A-Za-z0-9]+/);
  const joined = words.map((word) =>
    word.charAt(0).toUpperCase() + word.slice(1)
  ).join("");
  return /^[A-Z]/.test(joined) ? joined : `T${joined}`;
}

/** Fields of a class, and characters of a key; the rest is left out. */
const MOST_FIELDS = 60;
const LONGEST_KEY = 200;
/** Characters of a description. */
const LONGEST_COMMENT = 120;

/** A field of an object. */
interface Field {
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
function renderTypedDict(
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
