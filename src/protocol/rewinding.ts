import { is } from "./fields.ts";

/**
 * Why an interpreter was made anew, though it was to be rewound: it could not be proved
 * to be as clean as a fresh one.
 */
const CAUSES = [
  /** Its engine cannot rewind. */
  "engine",
  /** It was not kept before its run. */
  "not-kept",
  /** Its run did not end by itself, or not by an interrupt that it has answered. */
  "ending",
  /** Something is under way: a task, a timer, a promise, a call, a suspended stack. */
  "pending",
  /** The run has reached JavaScript. */
  "javascript",
  /** The run has loaded a library, or changed the table of functions. */
  "library",
  /** Its memory has grown by too much. */
  "memory",
  /** Files, folders or streams could not be put back. */
  "files",
] as const;

export type AnewCause = typeof CAUSES[number];

export interface Anew {
  cause: AnewCause;
  /** What was found, for the log. */
  detail: string;
}

/** The form in which messages tell it. */
export const ANEW = { cause: is.oneOf(...CAUSES), detail: is.text };
