/**
 * The terms of a run on Monty, in `own` of its request: limits that its call asks for.
 * Those of the server hold above them.
 */
export interface MontyTerms {
  maxAllocations?: number;
  /** Time of Python in milliseconds, with a fraction: waiting for the host does not count. */
  maxDurationMs?: number;
  maxMemoryBytes?: number;
  /** Allocations between two collections of garbage. */
  gcInterval?: number;
  maxRecursionDepth?: number;
}
