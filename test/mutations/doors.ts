import type { Mutation } from "./mutation.ts";

/** What Python finds of JavaScript, and messages that it may send. */
export const DOORS: readonly Mutation[] = [];
