import { hideCredentials } from "../requirements/hide_credentials.ts";
import { usageError } from "../errors.ts";
import type { CliContext } from "./context.ts";
import { pathRules } from "../grants/paths.ts";

/** Refuses a path that no process can be given permission for. */
export function refuseComma(path: string, doing: string, remedy: string): void {
  if (!path.includes(",")) return;
  throw usageError(
    `Cannot ${doing} "${path}" as Deno takes a path with a comma for two; ${remedy}.`,
  );
}

/**
 * Reads a folder that an install takes files from; `name` is its option.
 *
 * @throws {UserError} If it is not a folder of this machine, or Deno cannot be
 * given permission for it.
 */
export function toFolder(
  text: string,
  name: string,
  context: CliContext,
): string {
  const refused = (shown: string, reason: string) =>
    usageError(`Cannot use "${shown}" for ${name} as ${reason}.`);
  if (/^[a-z][a-z\d+.-]+:/i.test(text)) {
    const reason = "it must be a folder of this machine, and not a URL";
    throw refused(hideCredentials(text), reason);
  }
  const path = pathRules(context).resolve(context.cwd, text);
  if (!context.isFolder(path)) {
    const isThere = context.exists(path);
    throw refused(path, isThere ? "it is not a folder" : "it does not exist");
  }
  refuseComma(path, `use for ${name} the folder`, "choose another folder");
  return path;
}
