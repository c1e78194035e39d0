import type { Mutation } from "./mutation.ts";

/** Files that a run finds and leaves. */
export const WORKSPACE: readonly Mutation[] = [];
