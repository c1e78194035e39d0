/** Whether JSON is nested deeper; looks no deeper, so that it never fills the stack. */
export function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 ||
    Object.values(value).some((child) => isDeeper(child, depth - 1));
}
