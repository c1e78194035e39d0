import type { Tool } from "../../../deps/mcp_server.ts";
import { z } from "../../../deps/zod.ts";
import { isObject } from "../../protocol/fields.ts";
import { head } from "../../results/cut.ts";

/** A schema by zod, or as the JSON Schema that the client sees. */
export type AnySchema = z.ZodObject | Tool["inputSchema"];

/** The arguments that a schema lets through. */
export type OutputOf<Schema extends AnySchema> = Schema extends z.ZodObject
  ? z.output<Schema>
  : Record<string, unknown>;

/** Writes a schema as the JSON Schema that a client sees. */
export function toJsonSchema(schema: AnySchema): Tool["inputSchema"] {
  if (!(schema instanceof z.ZodType)) return schema;
  // MCP takes this draft where none is named; every integer of zod is safe.
  const text = JSON.stringify(
    z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }),
    (key, value) =>
      key === "$schema" || Math.abs(value) === Number.MAX_SAFE_INTEGER
        ? undefined
        : value,
  );
  return JSON.parse(text);
}

/**
 * The reader of a schema.
 *
 * @throws {Error} If the JSON Schema has parts that zod cannot check.
 */
export function toReader<Schema extends AnySchema>(
  schema: Schema,
): z.ZodType<OutputOf<Schema>> {
  const reader = schema instanceof z.ZodType
    ? schema
    : z.fromJSONSchema(JSON.parse(JSON.stringify(schema)));
  // The schema of an object gives objects.
  return reader as z.ZodType<OutputOf<Schema>>;
}

/**
 * Reads the arguments of a call.
 *
 * @throws {TypeError | RangeError} If an argument is wrong; the message names it.
 */
export function parseArguments<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
): z.output<Schema> {
  const { data, error } = schema.safeParse(given ?? {}, { error: toSentence });
  if (!error) return data;
  // Where a name is misspelled, the right name is missing.
  const issue = error.issues.find(({ code }) => code === "unrecognized_keys") ??
    error.issues[0];
  const Refusal = issue && "origin" in issue ? RangeError : TypeError;
  throw new Refusal(issue?.message);
}

/**
 * Says which argument is wrong, to a model that can mend its call.
 *
 * @throws The error, if it is another than those of wrong arguments.
 */
export function describeWrong(error: unknown): string {
  const isTheirs = error instanceof TypeError || error instanceof RangeError;
  if (!isTheirs) throw error;
  return error.message;
}

/**
 * Gives code that is not too long.
 *
 * @param name Of the argument.
 * @param remedy What to send instead.
 * @throws {RangeError} If it is.
 */
export function checkSize(
  code: string,
  maxBytes: number,
  { name, remedy }: { name: string; remedy: string },
): string {
  const { length } = new TextEncoder().encode(code);
  if (length <= maxBytes) return code;
  throw new RangeError(
    `${name} has ${length} bytes, and may have ${maxBytes}: send ${remedy}`,
  );
}

/** Reads an object with any keys, such as `__proto__`, which a record drops. */
export function anyObject(): z.ZodType<Record<string, unknown>> {
  const params = { expected: "object" };
  return z.custom<Record<string, unknown>>(isObject, { params })
    .meta({ type: "object" });
}

/** Says of an argument what is wrong, unless its schema says so. */
function toSentence(issue: Parameters<z.core.$ZodErrorMap>[0]): string {
  const { code, input, path = [], inst } = issue;
  const name = path.map((key) =>
    typeof key === "number" ? `[${key}]` : `.${head(String(key), 100)}`
  ).join("").slice(1);
  if (code === "unrecognized_keys") {
    const key = `"${head(issue.keys[0] ?? "", 100)}"`;
    const known = Object.keys(inst instanceof z.ZodObject ? inst.shape : {});
    return name === ""
      ? `Unknown argument ${key}: the arguments are ${known.join(", ")}`
      : `${name} has an unknown key ${key}: the keys are ${known.join(", ")}`;
  }
  const params = code === "custom" ? issue.params : issue;
  const expected: unknown = Reflect.get(Object(params), "expected");
  if (typeof expected === "string") {
    const given = kindOf(input, expected);
    return `${name || "The arguments"} must be ${kind(expected)}, not ${given}`;
  }
  if (code === "too_small" && typeof input === "number") {
    const least = issue.inclusive ? "at least" : "above";
    return `${name} is ${input}, and must be ${least} ${issue.minimum}`;
  }
  if (code === "too_big" && typeof input === "number") {
    const most = issue.inclusive ? "at most" : "below";
    return `${name} is ${input}, and must be ${most} ${issue.maximum}`;
  }
  const said = z.config().localeError?.(issue);
  return `${name}: ${typeof said === "object" ? said?.message : said}`;
}

function kind(name: string): string {
  if (name === "int") return "a whole number";
  return `${/^[aeiou]/.test(name) ? "an" : "a"} ${name}`;
}

function kindOf(value: unknown, expected: string): string {
  if (value === undefined) return "missing";
  const isNumber = expected === "int" || expected === "number";
  if (value === null || typeof value === "number" && isNumber) {
    return String(value);
  }
  return kind(Array.isArray(value) ? "array" : typeof value);
}

/** Characters of a wrong value in an error. */
const LONGEST_SHOWN = 100;

/** Shows a wrong value in an error. */
export function show(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") {
    return value === undefined ? "missing" : `${value}`;
  }
  return value.length > LONGEST_SHOWN
    ? `${JSON.stringify(head(value, LONGEST_SHOWN)).slice(0, -1)}…"`
    : JSON.stringify(value);
}
