/** Characters of a secret that are found by themselves, as a message may be cut. */
const PART = 12;
/** Values in each other that are looked into. */
const MOST_DEPTH = 100;

/**
 * The places at which recorded values have a secret, or a part of it: in texts,
 * keys, bytes and errors, as it is or encoded.
 *
 * A test gives each secret of an entry (`env`, `headers`, `args`, the query of its
 * `url`) a random marker, and records all that Python gets: `CodeModeStart`,
 * answers and refusals of host calls, results and errors of runs.
 *
 * @example All that a run was told
 * ```ts
 * import { findSecrets } from "./find_secrets.ts";
 * import { deepStrictEqual } from "node:assert/strict";
 *
 * const secret = crypto.randomUUID();
 * const told = { answers: [{ error: `cannot start: TOKEN=${secret}` }] };
 * deepStrictEqual(findSecrets(told, [secret]), ["answers.0.error"]);
 * ```
 */
export function findSecrets(
  recorded: unknown,
  secrets: readonly string[],
): string[] {
  const forms = secrets.flatMap(formsOf);
  const places: string[] = [];
  const seen = new Set<object>();
  const look = (text: string, place: string) => {
    const lower = text.toLowerCase();
    if (forms.some((form) => lower.includes(form))) places.push(place);
  };
  const walk = (value: unknown, path: string[]) => {
    const place = path.join(".");
    if (typeof value === "string") return look(value, place);
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    if (path.length > MOST_DEPTH) throw new RangeError(`${place} is too deep`);
    seen.add(value);
    for (const [key, child] of membersOf(value)) {
      look(key, `${place} (key)`);
      walk(child, [...path, key]);
    }
  };
  walk(recorded, []);
  return places;
}

function membersOf(value: object): [string, unknown][] {
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(
      value.buffer,
      value.byteOffset,
      value.byteLength,
    );
    return [["bytes", new TextDecoder("latin1").decode(bytes)]];
  }
  if (value instanceof Map) {
    return [...value].flatMap(([key, child]) => [
      [`key ${String(key)}`, key],
      [String(key), child],
    ]);
  }
  if (value instanceof Set) {
    return [...value].map((child, at) => [String(at), child]);
  }
  // Those of an error are not enumerable.
  return Reflect.ownKeys(value).map((key) => [
    String(key),
    Reflect.get(value, key),
  ]);
}

/** A secret's parts, as they are and as encodings of the whole have them. */
function formsOf(secret: string): string[] {
  if (secret.length < PART) {
    throw new RangeError(
      `A marker has ${secret.length} characters, not ${PART}`,
    );
  }
  const bytes = new TextEncoder().encode(secret);
  // Base64 of text in which the secret stands at any place: the first characters
  // depend on the text before it.
  const base64 = [0, 1, 2].map((before) =>
    new Uint8Array([...new Uint8Array(before), ...bytes]).toBase64().slice(4)
  );
  const whole = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toHex(),
    ...base64,
    [...secret].reverse().join(""),
  ];
  return whole.flatMap((text) => partsOf(text.toLowerCase()));
}

function partsOf(text: string): string[] {
  const count = Math.max(1, text.length - PART + 1);
  return Array.from({ length: count }, (_, at) => text.slice(at, at + PART));
}
