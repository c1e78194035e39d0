/** The middle value: half of all are at or below it. */
export function median(values: readonly number[]): number {
  const sorted = inOrder(values);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? NaN;
  const high = sorted[Math.floor(middle)] ?? NaN;
  return (low + high) / 2;
}

/** The middle value; undefined without values. */
export function maybeMedian(values: readonly number[]): number | undefined {
  return values.length > 0 ? median(values) : undefined;
}

/**
 * The smallest of the values that at least this share of them does not exceed:
 * a value that was measured, never one in between.
 *
 * @param values What was measured; at least one.
 * @param share Above 0, at most 1.
 */
export function percentile(values: readonly number[], share: number): number {
  if (!(share > 0 && share <= 1)) {
    throw new RangeError(`Share is ${share}, and must be above 0, at most 1`);
  }
  const sorted = inOrder(values);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? NaN;
}

/** The average: for what is counted in coarse steps, as CPU time is. */
export function mean(values: readonly number[]): number {
  return inOrder(values).reduce((sum, value) => sum + value) / values.length;
}

/** The average, if all are known. */
export function maybeMean(
  values: readonly (number | undefined)[],
): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length > 0 && known.length === values.length
    ? mean(known)
    : undefined;
}

function inOrder(values: readonly number[]): number[] {
  if (values.length === 0) throw new RangeError("Nothing was measured");
  return values.toSorted((a, b) => a - b);
}
