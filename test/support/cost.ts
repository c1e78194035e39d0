/** Milliseconds that work takes at least: the shortest of some rounds. */
export function leastMs(work: () => unknown): number {
  const times = Array.from({ length: 5 }, () => {
    const started = performance.now();
    work();
    return performance.now() - started;
  });
  return Math.min(...times);
}
