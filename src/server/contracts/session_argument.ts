import { z } from "../../../deps/zod.ts";

/** Characters of a handle, and more. */
const LONGEST = 200;

/** A handle, as an argument of a tool that is about a session. */
export const SESSION: z.ZodString = z.string()
  .min(1, "session is empty: leave it out, or give a handle").max(LONGEST);

/** The same, of a tool that is about the default session if there is one. */
export function sessionOrDefault(hasDefault: boolean) {
  return hasDefault
    ? SESSION.optional().describe("The default session if not said.")
    : SESSION;
}
