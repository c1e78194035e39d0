import type { Mutation } from "./mutation.ts";

/** Where requests of a run may go. */
export const NETWORK: readonly Mutation[] = [];
