import { type Looked, Looks } from "../sessions/looks.ts";
import type { Connection } from "./contract.ts";
import { SESSION } from "./session_argument.ts";

/** The argument `session` of the tools for files. */
export const SESSION_OF_FILES = SESSION.optional()
  .describe("Handle of a session; the session of all calls if not said.");

/** Looks into a session of the client; into its default session without a handle. */
export function looksInto(
  handle: string | undefined,
  { sessions, owner }: Pick<Connection, "sessions" | "owner">,
): Looks {
  return new Looks((request, options) =>
    sessions.look(handle, owner, request, options)
  );
}

/** @throws {RangeError} If the session did not answer; the message says why. */
export async function answerOf<T>(looked: Promise<Looked<T>>): Promise<T> {
  const { found, failed } = await looked;
  if (failed) throw new RangeError(failed.error);
  return found;
}
