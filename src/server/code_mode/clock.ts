/** Time, as tests can set it. */
export interface Clock {
  /** In milliseconds. */
  now(): number;
  /** Does work later; the result takes that back. */
  after(ms: number, work: () => void): () => void;
}

export const CLOCK: Clock = {
  now: () => performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms);
    Deno.unrefTimer(timer);
    return () => clearTimeout(timer);
  },
};
