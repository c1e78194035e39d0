/**
 * Whether JSON is nested deeper than so many lists and objects. It goes no
 * deeper itself, so that no value fills its stack.
 */
export function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 ||
    Object.values(value).some((child) => isDeeper(child, depth - 1));
}
