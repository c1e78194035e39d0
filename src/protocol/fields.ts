/** Whether data is an object of JSON: not a list. */
export function isObject(data: unknown): data is Record<string, unknown> {
  return typeof data === "object" && data !== null && !Array.isArray(data);
}

/** The fields of an object, and none of other data: a list may have millions. */
export function fields(data: unknown): Record<string, unknown> {
  return isObject(data) ? { ...data } : {};
}

/** Whether data is bytes of its own: shared memory could still change. */
export function isBytes(data: unknown): data is Uint8Array<ArrayBuffer> {
  return data instanceof Uint8Array && data.buffer instanceof ArrayBuffer;
}

export function maybeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(text, { lastChunkHandling: "strict" });
  } catch {
    return undefined;
  }
}

export function isCount(data: unknown): data is number {
  return typeof data === "number" && Number.isSafeInteger(data) && data >= 0;
}

/** Whether data is of a kind. */
export type Check<T> = (data: unknown) => data is T;
/** The fields of a message, each with its check. */
type Form = Readonly<Record<string, Check<unknown>>>;
type Checked<F extends Form> = {
  -readonly [K in keyof F]: F[K] extends Check<infer T> ? T : never;
};

export const is = {
  text: (data: unknown): data is string => typeof data === "string",
  number: (data: unknown): data is number => typeof data === "number",
  count: isCount,
  list: (data: unknown): data is unknown[] => Array.isArray(data),
  /** For a field that the parser of its message looks at. */
  any: (_data: unknown): _data is unknown => true,
  oneOf: <const T>(...values: readonly T[]): Check<T> => (data): data is T =>
    values.some((value) => value === data),
};

/**
 * Reads the fields of a form, and no others; undefined if one that it has is not of its
 * kind. Of those that it may have, the ones of another kind are left out.
 */
export function readForm<
  Has extends Form,
  May extends Form = Record<never, never>,
>(data: unknown, has: Has, may?: May):
  | Checked<Has> & Partial<Checked<May>>
  | undefined {
  const given = fields(data);
  const read: Record<string, unknown> = {};
  for (const [name, check] of Object.entries(has)) {
    if (!check(given[name])) return undefined;
    read[name] = given[name];
  }
  for (const [name, check] of Object.entries(may ?? {})) {
    if (given[name] !== undefined && check(given[name])) {
      read[name] = given[name];
    }
  }
  return read as Checked<Has> & Partial<Checked<May>>;
}

/** Reads a message by the form of its type; undefined if it is not of it. */
export function readMessage<Forms extends Readonly<Record<string, Form>>>(
  data: unknown,
  forms: Forms,
):
  | { [T in keyof Forms]: { type: T } & Checked<Forms[T]> }[keyof Forms]
  | undefined {
  const { type } = fields(data);
  if (!is.text(type) || !Object.hasOwn(forms, type)) return undefined;
  const read = readForm(data, forms[type] as Form);
  return read && { type, ...read } as ReturnType<typeof readMessage<Forms>>;
}

/** Whether JSON is nested deeper; looks no deeper, so that it never fills the stack. */
export function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 ||
    Object.values(value).some((child) => isDeeper(child, depth - 1));
}

const [QUOTE, BACKSLASH, COLON, LIST, OBJECT] = [0x22, 0x5c, 0x3a, 0x5b, 0x7b];

/** Counts the lists, objects and keys of JSON, without reading it. */
export function countParts(json: Uint8Array): number {
  let parts = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) isText = !isText;
    else if (isText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === LIST || byte === OBJECT || byte === COLON) parts++;
  }
  return parts;
}
