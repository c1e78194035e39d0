import type { Mutation } from "./mutation.ts";

/** What the installer may write, and believes. */
export const INSTALLING: readonly Mutation[] = [];
