import type { Json } from "../../protocol/run_result.ts";
import { sha256 } from "../../disk.ts";

/** SHA-256 of a value's canonical JSON: others can compute it from the value. */
export function hashOfJson(value: Json): string {
  return sha256(canonicalJson(value));
}

/**
 * JSON without spaces, the keys of an object in the order of their UTF-16 units,
 * numbers and texts as JavaScript writes them (RFC 8785).
 */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson)}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const pairs = Object.entries(value)
    .sort(([a], [b]) => a < b ? -1 : 1)
    .map(([key, child]) => `${JSON.stringify(key)}:${canonicalJson(child)}`);
  return `{${pairs}}`;
}
