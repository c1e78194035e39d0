import type { Tool } from "../../../deps/mcp_server.ts";
import { z } from "../../../deps/zod.ts";
import { head } from "../../results/cut.ts";

/** Writes a schema as the JSON Schema that a client sees. */
export function toInputSchema(schema: z.ZodObject): Tool["inputSchema"] {
  const written = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
  });
  const text = JSON.stringify(
    written,
    (key, value) => isNews(key, value) ? value : undefined,
  );
  return { ...JSON.parse(text), type: "object" };
}

/** MCP takes the draft that zod names; every integer of zod is a safe integer. */
function isNews(key: string, value: unknown): boolean {
  return key !== "$schema" &&
    !(key === "maximum" && value === Number.MAX_SAFE_INTEGER);
}

/**
 * Reads the arguments of a call.
 *
 * @throws {TypeError | RangeError} If an argument is unknown, missing, of a wrong
 * type or outside its limits; the message names it.
 */
export function parseArguments<Schema extends z.ZodObject>(
  schema: Schema,
  given: unknown,
): z.output<Schema> {
  const { data, error } = schema.safeParse(given ?? {}, { error: toSentence });
  if (!error) return data;
  // Where a name is misspelled, the right name is missing.
  const issue = error.issues.find(({ code }) => code === "unrecognized_keys") ??
    error.issues[0];
  const isOutside = issue?.code === "too_small" || issue?.code === "too_big";
  throw new (isOutside ? RangeError : TypeError)(issue?.message);
}

/** Reads an object with any keys, such as `__proto__`, which a record drops. */
export function anyObject(): z.ZodType<Record<string, unknown>> {
  return z.custom<Record<string, unknown>>(
    (value) =>
      typeof value === "object" && value !== null && !Array.isArray(value),
    { params: { expected: "object" } },
  ).meta({ type: "object" });
}

/** Says of an argument what is wrong, unless its schema says so. */
function toSentence(issue: Parameters<z.core.$ZodErrorMap>[0]): string {
  const name = toName(issue.path ?? []);
  const { input } = issue;
  if (issue.code === "unrecognized_keys") {
    const key = `"${head(issue.keys[0] ?? "", 100)}"`;
    const known = issue.inst instanceof z.ZodObject
      ? Object.keys(issue.inst.shape).join(", ")
      : "";
    return name === ""
      ? `Unknown argument ${key}: the arguments are ${known}`
      : `${name} has an unknown key ${key}: the keys are ${known}`;
  }
  const params = issue.code === "custom" ? issue.params : issue;
  const expected: unknown = Reflect.get(Object(params), "expected");
  if (typeof expected === "string") {
    return `${name || "The arguments"} must be ${kind(expected)}, not ${
      kindOf(input, expected)
    }`;
  }
  if (issue.code === "too_small" && typeof input === "number") {
    const least = issue.inclusive ? "at least" : "above";
    return `${name} is ${input}, and must be ${least} ${issue.minimum}`;
  }
  if (issue.code === "too_big" && typeof input === "number") {
    const most = issue.inclusive ? "at most" : "below";
    return `${name} is ${input}, and must be ${most} ${issue.maximum}`;
  }
  const said = z.config().localeError?.(issue);
  return `${name}: ${typeof said === "object" ? said?.message : said}`;
}

/** A path such as `files[0].text`. */
function toName(path: readonly PropertyKey[]): string {
  return path.map((key, at) =>
    typeof key === "number"
      ? `[${key}]`
      : `${at === 0 ? "" : "."}${head(String(key), 100)}`
  ).join("");
}

/** Kinds of values, by zod's name, that are not "a" with this name. */
const KINDS: Record<string, string> = {
  int: "a whole number",
  array: "an array",
  object: "an object",
};

function kind(name: string): string {
  return KINDS[name] ?? `a ${name}`;
}

function kindOf(value: unknown, expected: string): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (typeof value === "number" && /^(int|number)$/.test(expected)) {
    return `${value}`;
  }
  return kind(Array.isArray(value) ? "array" : typeof value);
}
