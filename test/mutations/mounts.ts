import type { Mutation } from "./mutation.ts";

/** Folders of the user's that Python sees. */
export const MOUNTS: readonly Mutation[] = [];
