import type { Payload } from "./payload.ts";

/**
 * Writes a payload as a block of TOON; as JSON, with its keys sorted, if it cannot
 * be encoded.
 *
 * @param encode Encodes a payload; the library if absent.
 */
export async function toToonText(
  payload: Payload,
  encode?: (payload: Payload) => string,
): Promise<string> {
  try {
    const write = encode ?? (await import("../../../deps/toon.ts")).encodeToon;
    return fenced("toon", write(payload));
  } catch {
    return fenced("json", JSON.stringify(sorted(payload), null, 2));
  }
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
  // Keys come from code: `__proto__` is one as any other.
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)]));
}
