/** Limits of a run on Monty that its request asks for: its server's own hold above. */
export interface MontyTerms {
  /** Allocations of memory. */
  maxAllocations?: number;
  /** Time of Python, in milliseconds: what its host takes does not count. */
  maxDurationMs?: number;
  /** Memory of values, in bytes. */
  maxMemoryBytes?: number;
  /** Allocations between two collections of garbage. */
  gcInterval?: number;
  /** Calls in each other. */
  maxRecursionDepth?: number;
}
