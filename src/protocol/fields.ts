/** The fields of what may be an object; of a list of millions none are copied. */
export function fields(data: unknown): Record<string, unknown> {
  const isObject = typeof data === "object" && data !== null;
  return isObject && !Array.isArray(data) ? { ...data } : {};
}
