import type { Mutation } from "./mutation.ts";

/** Time, memory, and what a guest may send. */
export const LIMITS: readonly Mutation[] = [];
