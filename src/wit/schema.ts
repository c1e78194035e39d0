import type { DownstreamTool } from "../protocol/downstream.ts";
import { toolNameOf, toSnakeCase } from "./names.ts";
import {
  type IntegerType,
  isBytes,
  ODD_NUMBERS,
  rangeOf,
  type Wit,
  type WitField,
  type WitFunction,
  type WitType,
} from "./types.ts";

type Schema = Record<string, unknown>;

/**
 * Describes the functions of a component as tools, in the order of `functions`.
 * What a tool gives is an object: `result` has what its function gives, and
 * `error` the error of one whose result may be one.
 */
export function toTools({ functions }: Wit): DownstreamTool[] {
  return functions.map((fn) => ({
    name: toolNameOf(fn),
    ...(fn.docs === undefined ? {} : { description: fn.docs }),
    inputSchema: toObject(fn.params),
    ...toOutput(fn),
  }));
}

function toOutput({ result }: WitFunction): Partial<DownstreamTool> {
  if (!result) return {};
  if (result.kind !== "result") {
    return { outputSchema: closed({ result: toSchema(result) }) };
  }
  const { ok, error } = result;
  // A function that may fail and gives nothing has no structured content.
  if (!ok) return {};
  const properties = { result: toSchema(ok), error: toSchema(error) };
  return { outputSchema: closed(properties, []) };
}

type Properties = Record<string, Schema>;

/** An object with these properties alone, all of them required unless it says less. */
function closed(
  properties: Properties,
  required: string[] = Object.keys(properties),
): Schema {
  const names = required.length > 0 ? { required } : {};
  return { type: "object", properties, ...names, additionalProperties: false };
}

/** The object of a record, or of parameters: an option need not be there. */
function toObject(fields: readonly WitField[], tag: Properties = {}): Schema {
  const properties = { ...tag };
  const required = Object.keys(tag);
  for (const { name, type } of fields) {
    const key = toSnakeCase(name);
    const isOption = type.kind === "option";
    properties[key] = isOption ? toSome(type.item) : toSchema(type);
    if (!isOption) required.push(key);
  }
  return closed(properties, required);
}

/** What an option is if it is there; of an option in an option, null says nothing. */
function toSome(item: WitType): Schema {
  return item.kind === "option"
    ? closed({ some: toSchema(item) })
    : toSchema(item);
}

/** The schema of a value, and null for none at all. */
function toSchema(type: WitType | undefined): Schema {
  if (!type) return { type: "null" };
  switch (type.kind) {
    case "bool":
      return { type: "boolean" };
    case "char":
      return { type: "string", minLength: 1, maxLength: 1 };
    case "string":
      return { type: "string" };
    case "integer":
      return toInteger(type);
    case "float":
      return { anyOf: [{ type: "number" }, { enum: ODD_NUMBERS }] };
    case "list":
      return isBytes(type)
        ? { type: "string", contentEncoding: "base64" }
        : { type: "array", items: toSchema(type.item) };
    case "tuple":
      return {
        type: "array",
        prefixItems: type.items.map(toSchema),
        // Not `items: false`: validators of before 2020 would take it for all items.
        minItems: type.items.length,
        maxItems: type.items.length,
      };
    case "record":
      return toObject(type.fields);
    case "variant":
      return {
        anyOf: type.cases.map(({ name, type }) =>
          toObject(type ? [{ name: "value", type }] : [], {
            tag: { const: name },
          })
        ),
      };
    case "enum":
      return { type: "string", enum: type.names };
    case "flags":
      return {
        type: "array",
        items: { type: "string", enum: type.names },
        uniqueItems: true,
      };
    case "option":
      return { anyOf: [toSome(type.item), { type: "null" }] };
    case "result":
      return {
        anyOf: [
          closed({ ok: toSchema(type.ok) }),
          closed({ error: toSchema(type.error) }),
        ],
      };
  }
}

function toInteger(type: IntegerType): Schema {
  const [least, most] = rangeOf(type);
  const minimum = Math.max(Number(least), Number.MIN_SAFE_INTEGER);
  const maximum = Math.min(Number(most), Number.MAX_SAFE_INTEGER);
  const integer = { type: "integer", minimum, maximum };
  if (type.bits < 64) return integer;
  // By this, Python knows the type: clients warn of formats that they do not know.
  const pattern = type.signed ? "^-?[0-9]{1,19}$" : "^[0-9]{1,20}$";
  return { anyOf: [integer, { type: "string", pattern }] };
}
