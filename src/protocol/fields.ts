/** The fields of an object, and none of other data: a list may have millions. */
export function fields(data: unknown): Record<string, unknown> {
  const isObject = typeof data === "object" && data !== null;
  return isObject && !Array.isArray(data) ? { ...data } : {};
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
