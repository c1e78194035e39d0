import type { Mutation } from "./mutation.ts";

/** What runs share. */
export const SHARED_STATE: readonly Mutation[] = [];
