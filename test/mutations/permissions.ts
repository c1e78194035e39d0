import type { Mutation } from "./mutation.ts";

/** What each process may do. */
export const PERMISSIONS: readonly Mutation[] = [];
