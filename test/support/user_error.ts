import { UserError } from "../../src/errors.ts";

/** Accepts an error of the user's that says this. */
export function saying(words: string): (error: unknown) => boolean {
  return (error) => error instanceof UserError && error.message.includes(words);
}
