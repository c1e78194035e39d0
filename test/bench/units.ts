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
  if (atMost === undefined) return toMultiple(ratio);
  const isMet = ratio <= atMost;
  return `${toMultiple(ratio)} (aim ≤ ${toAim(atMost)}: ${toWord(isMet)})`;
}

/** The same for a figure that should be large. */
export function toRatioAtLeast(
  ours: number,
  baseline: number,
  atLeast: number,
): string {
  const ratio = ours / baseline;
  const isMet = ratio >= atLeast;
  return `${toMultiple(ratio)} (aim ≥ ${toAim(atLeast)}: ${toWord(isMet)})`;
}

function toMultiple(ratio: number): string {
  if (ratio >= 1) return `${ratio.toFixed(1)}x`;
  return ratio >= 0.1 ? `${ratio.toFixed(2)}x` : `1/${(1 / ratio).toFixed(1)}`;
}

function toAim(ratio: number): string {
  return ratio > 0.5 ? `${ratio}x` : `1/${Math.round(1 / ratio)}`;
}

function toWord(isMet: boolean): string {
  return isMet ? "met" : "not met";
}
