/** Whether JSON is nested deeper; it goes no deeper itself, for its stack. */
export function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 ||
    Object.values(value).some((child) => isDeeper(child, depth - 1));
}
