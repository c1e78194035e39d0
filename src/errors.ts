/** Exit codes of the command; some are as if a signal had ended it. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  /** By Ctrl-C. */
  interrupted: 130,
  /** The reader of its output is gone. */
  brokenPipe: 141,
} as const;

/**
 * An error that is the user's to mend: shown as its message alone, without a
 * stack, and turned into an exit code. The message says the task, the value, and
 * the remedy.
 */
export class UserError extends Error {
  /** Tells it from our own faults. */
  override name = "UserError";

  /**
   * Makes an error for the user.
   *
   * @param message One or more clear sentences, with the remedy.
   * @param exitCode 1 for "could not", 2 for "asked wrongly".
   */
  constructor(
    message: string,
    /** The command's exit code. */
    readonly exitCode: number = EXIT.failure,
  ) {
    super(message);
  }
}

/** The last line of an error in the user's arguments. */
const HELP_HINT = "\nSee mcp-run-python --help.";

/** An error in the user's arguments, with a hint to the help. */
export function usageError(message: string): UserError {
  return new UserError(message + HELP_HINT, EXIT.usage);
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The message for a reader who has typed no command: without the hint to the help. */
export function unhintedMessageOf(error: unknown): string {
  return messageOf(error).replace(HELP_HINT, "");
}

/** The message without the system call and the path that Deno adds. */
export function reasonOf(error: unknown): string {
  return messageOf(error).replace(/( \(os error \d+\))?(: \w+ '.*')?$/s, "");
}

/** A fault of ours for a log: its stack, and that of its causes. */
export function detailsOf(error: unknown): string {
  return error instanceof Error ? Deno.inspect(error) : String(error);
}

/** Does what may throw, such as a look at a path; undefined if it does. */
export function maybe<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
