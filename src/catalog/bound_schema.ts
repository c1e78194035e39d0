import type { Json } from "../protocol/run_result.ts";

export type JsonObject = { [key: string]: Json };

/** Levels of objects and lists in a schema. */
const DEEPEST = 32;
/** Characters that a schema has as JSON, more or less. */
const LARGEST = 1 << 16;

/**
 * Copies a schema of a downstream server as far as it goes: the rest of one that
 * is too deep or too large is left out, and says so.
 */
export function boundSchema(schema: unknown): JsonObject {
  let left = LARGEST;
  let isWhole = true;

  const copied = copy(schema, 0);
  const whole = isObject(copied) ? copied : {};
  return isWhole ? whole : { ...whole, $comment: LEFT_OUT };

  function copy(value: unknown, depth: number): Json {
    left -= typeof value === "string" ? value.length + 2 : 2;
    if (value === null || typeof value === "boolean") return value;
    if (typeof value === "number") return Number.isFinite(value) ? value : null;
    if (typeof value === "string") return left < 0 ? leaveOut("") : value;
    if (typeof value !== "object") return null;
    const isList = Array.isArray(value);
    // An empty schema allows all.
    if (depth === DEEPEST) return leaveOut(isList ? [] : {});
    return isList ? copyList(value, depth + 1) : copyObject(value, depth + 1);
  }

  function copyList(list: readonly unknown[], depth: number): Json[] {
    const items: Json[] = [];
    for (const item of list) {
      if (left < 0) return leaveOut(items);
      items.push(copy(item, depth));
    }
    return items;
  }

  function copyObject(object: object, depth: number): JsonObject {
    const entries: [string, Json][] = [];
    for (const [key, value] of Object.entries(object)) {
      left -= key.length + 2;
      if (left < 0) {
        leaveOut(null);
        break;
      }
      entries.push([key, copy(value, depth)]);
    }
    return Object.fromEntries(entries);
  }

  function leaveOut<T>(rest: T): T {
    isWhole = false;
    return rest;
  }
}

const LEFT_OUT = "Parts of this schema are left out: it is too large.";

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member of an object that is an object of its own, such as `properties`. */
export function memberOf(
  object: JsonObject,
  key: string,
): JsonObject | undefined {
  const member = Object.hasOwn(object, key) ? object[key] : undefined;
  return isObject(member) ? member : undefined;
}

/** The texts of a list, such as `required`. */
export function textsOf(list: Json | undefined): string[] {
  return Array.isArray(list)
    ? list.filter((item) => typeof item === "string")
    : [];
}
