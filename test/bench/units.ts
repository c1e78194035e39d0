/** What is shown where this system does not tell. */
const NOT_KNOWN = "n/a";

/** Milliseconds as text, with as many digits as mean something. */
export function toTime(ms: number | undefined): string {
  if (ms === undefined) return NOT_KNOWN;
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  return `${ms.toFixed(ms >= 10 ? 0 : 2)} ms`;
}

/** Bytes as text. */
export function toMemory(bytes: number | undefined): string {
  if (bytes === undefined) return NOT_KNOWN;
  return `${Math.round(bytes / 1024 ** 2)} MiB`;
}

/**
 * Our figure as a multiple of its baseline, and whether that is within the aim.
 *
 * @param atMost The aim, if there is one.
 */
export function toRatio(
  ours: number | undefined,
  baseline: number | undefined,
  atMost?: number,
): string {
  if (ours === undefined || baseline === undefined) return NOT_KNOWN;
  const ratio = ours / baseline;
  const text = `${ratio.toFixed(ratio < 1 ? 2 : 1)}x`;
  if (atMost === undefined) return text;
  return `${text} (aim ≤ ${atMost}x: ${ratio <= atMost ? "met" : "not met"})`;
}
