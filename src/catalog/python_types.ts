import type { Json } from "../protocol/run_result.ts";
import { isObject, type JsonObject, memberOf } from "./bound_schema.ts";
import { maybeLiteral } from "./python_text.ts";
import {
  findSchema,
  flatten,
  nameOfReference,
  PartBudget,
} from "./resolve_schema.ts";
import { toFields, type TypedDicts } from "./typed_dicts.ts";

/** Levels of types within a type. */
const DEEPEST = 12;
/** Schemas that are read. */
const MOST_STEPS = 2000;
/** Characters of a type; a longer one is `Any`. */
const LONGEST_TYPE = 300;
/** Characters of all types. */
const LONGEST_TYPES = 30_000;

/** The types of a schema in Python. A type without end is `Any`. */
export class PythonTypes {
  #types = new Map<JsonObject, string>();
  #literals = new Map<readonly Json[], string>();
  #steps = 0;
  #left = LONGEST_TYPES;
  #budget: PartBudget;

  /**
   * @param root The document that `#/…` is looked up in.
   * @param classes Takes the classes that annotations name.
   */
  constructor(private root: JsonObject, private classes: TypedDicts) {
    this.#budget = new PartBudget(root);
  }

  /**
   * The annotation of a schema.
   *
   * @param name Any text; the name of its class, if there is need of a class.
   */
  of(schema: Json | undefined, name: string, depth = 0): string {
    if (!isObject(schema) || depth > DEEPEST) return "Any";
    const known = this.#types.get(schema);
    if (known !== undefined) return this.classes.mention(known);
    if (++this.#steps > MOST_STEPS) return "Any";
    // For a schema within itself, until its class has a name. References within
    // references end by their depth.
    if (schema.$ref === undefined) this.#types.set(schema, "Any");
    const type = this.#read({ schema, whole: schema, name, depth: depth + 1 });
    const nullable = schema.nullable === true ? toUnion([type, "None"]) : type;
    const isLong = nullable.length > LONGEST_TYPE || this.#left <= 0;
    const short = isLong ? "Any" : nullable;
    this.#left -= short.length;
    this.#types.set(schema, short);
    return short;
  }

  #read(place: Place): string {
    const { schema, name, depth } = place;
    const { $ref, allOf, properties } = schema;
    if (Array.isArray(allOf)) {
      // Libraries write a reference with a default beside it so.
      if (allOf.length === 1 && properties === undefined) {
        return this.of(allOf[0], name, depth);
      }
      const whole = flatten(this.root, schema, this.#budget);
      return this.#ofWhole({ ...place, whole });
    }
    if (typeof $ref === "string") {
      const found = findSchema(this.root, $ref);
      return this.of(found, nameOfReference($ref), depth);
    }
    return this.#ofWhole(place);
  }

  #ofWhole(place: Place): string {
    const { whole, name, depth } = place;
    const { const: only, enum: values, anyOf, oneOf, properties } = whole;
    if (only !== undefined) return toLiterals([only]);
    if (Array.isArray(values) && values.length > 0) {
      return this.#literalsOf(values);
    }
    const variants = [anyOf, oneOf].find(Array.isArray);
    if (!variants || properties !== undefined) {
      return this.#ofType(place);
    }
    return toUnion(
      variants.map((variant: Json) => this.of(variant, name, depth)),
    );
  }

  /** Many schemas can name the same values. */
  #literalsOf(values: readonly Json[]): string {
    const literals = this.#literals.get(values) ?? toLiterals(values);
    this.#literals.set(values, literals);
    return literals;
  }

  #ofType(place: Place): string {
    const { whole } = place;
    const types = [whole.type ?? guessType(whole)].flat();
    return toUnion(types.map((type) => {
      if (type === "object") return this.#ofObject(place);
      if (type === "array") return this.#ofArray(place);
      return typeof type === "string" ? SIMPLE.get(type) ?? "Any" : "Any";
    }));
  }

  #ofArray({ whole, name, depth }: Place): string {
    const tuple = [whole.prefixItems, whole.items].find(Array.isArray);
    const items: Json[] = tuple ?? [whole.items ?? {}];
    const types = items.map((item) => this.of(item, `${name} item`, depth));
    return `list[${toUnion(types)}]`;
  }

  #ofObject({ schema, whole, name, depth }: Place): string {
    const properties = memberOf(whole, "properties");
    if (properties && Object.keys(properties).length > 0) {
      return this.classes.maybeAdd(name, (free) => {
        // For a schema within itself.
        this.#types.set(schema, free);
        return toFields(whole, (field, key) => this.of(field, key, depth));
      }) ?? "dict[str, Any]";
    }
    const [pattern] = Object.values(memberOf(whole, "patternProperties") ?? {});
    const values = pattern ?? whole.additionalProperties;
    return `dict[str, ${this.of(values, `${name} value`, depth)}]`;
  }
}

/** A schema that is read. */
interface Place {
  schema: JsonObject;
  /** The same with all that it inherits. */
  whole: JsonObject;
  name: string;
  depth: number;
}

const SIMPLE = new Map([
  ["string", "str"],
  ["integer", "int"],
  ["number", "float"],
  ["boolean", "bool"],
  ["null", "None"],
]);

function guessType(whole: JsonObject): string | undefined {
  if (whole.properties ?? whole.additionalProperties) return "object";
  return whole.items ?? whole.prefixItems ? "array" : undefined;
}

/** Literals, if Python's types can say them: not of fractions and lists. */
function toLiterals(values: readonly Json[]): string {
  const some = values.slice(0, LONGEST_TYPE);
  const literals = some.map((value) => maybeLiteral(value, LONGEST_TYPE));
  const text = [...new Set(literals)].join(", ");
  const canSay = some.length === values.length &&
    values.every((value) =>
      typeof value !== "object" && (!(typeof value === "number") ||
          Number.isSafeInteger(value)) || value === null
    );
  if (canSay && !literals.includes(undefined) && text.length < LONGEST_TYPE) {
    return `Literal[${text}]`;
  }
  return toUnion(values.map((value) => {
    if (typeof value !== "object") return TYPE_NAMES[typeof value] ?? "Any";
    return value === null ? "None" : Array.isArray(value) ? "list" : "dict";
  }));
}

const TYPE_NAMES: Record<string, string> = {
  string: "str",
  number: "float",
  boolean: "bool",
};

/** A union without repeats; literals become one, and `None` comes last. */
function toUnion(types: readonly string[]): string {
  const all = new Set(types);
  if (all.size === 0 || all.has("Any")) return "Any";
  const isNone = all.delete("None");
  const isLiteral = (type: string) => /^Literal\[[^|]*\]$/.test(type);
  const literals = [...all].filter(isLiteral);
  const joined = literals.map((type) => type.slice("Literal[".length, -1));
  return [
    ...(joined.length > 0 ? [`Literal[${joined.join(", ")}]`] : []),
    ...[...all].filter((type) => !isLiteral(type)),
    ...(isNone ? ["None"] : []),
  ].join(" | ");
}
