import type { Mutation } from "./mutation.ts";

/** Frames between processes, and how processes live and end. */
export const FRAMES: readonly Mutation[] = [];
