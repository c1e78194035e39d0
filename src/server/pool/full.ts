import type { PoolSizes } from "../../protocol/server_settings.ts";

/** Tells the caller of a run that there is no place for it. */
export function describeFull(
  { running, waiting }: PoolSizes,
  retrySeconds: number,
): string {
  return `Cannot run this now as all places are taken: ${running} to run, ${waiting} to wait. Try again in about ${retrySeconds} s. The user can allow more with --max-concurrency.`;
}
