import type { Mutation } from "./mutation.ts";

/** What a client may send, and what it is answered. */
export const REQUESTS: readonly Mutation[] = [];
