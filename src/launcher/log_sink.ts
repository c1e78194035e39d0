import type { Mount } from "../grants/mounts.ts";
import { maybeMount } from "../grants/policy.ts";
import { EXIT, reasonOf, UserError } from "../errors.ts";
import { log, writeAll } from "../log.ts";
import { concat, NEWLINE } from "../protocol/lines.ts";

/** Takes lines of the logs, without their ends; never throws. */
export interface LogSink extends Disposable {
  /** Whether the line is written. */
  write(line: Uint8Array): boolean;
  /**
   * Opens the file anew, as a tool has given the old one another name.
   *
   * @throws {UserError} If it cannot be opened; the old one is written on.
   */
  reopen(): void;
}

/** The option that names a file of lines, with the words for its content. */
const CONTENTS = { "--log-file": "logs", "--audit": "the audit" };

/**
 * Opens a file for logs at its end, or else stderr. The file stays open, as this
 * process gives up its permissions.
 *
 * @param mounts Folders of Python, whose files hold no logs.
 * @throws {UserError} If the file cannot be opened, or Python could see it.
 */
export function openLog(
  path: string | undefined,
  mounts: readonly Mount[],
  flag: keyof typeof CONTENTS,
): LogSink {
  const openFile = () =>
    path === undefined ? undefined : open(path, mounts, flag);
  let file = openFile();
  let isBroken = false;
  return {
    write(line) {
      try {
        // A line that could not be written may have left its start there.
        const start = isBroken ? [NEWLINE] : [];
        writeAll(file ?? Deno.stderr, concat([...start, line, NEWLINE]));
        isBroken = false;
        return true;
      } catch (error) {
        if (!isBroken && file) {
          const reason = reasonOf(error);
          log(
            `warning: Cannot write ${CONTENTS[flag]} to "${path}": ${reason}.`,
          );
        }
        isBroken = true;
        return false;
      }
    },
    reopen() {
      const next = openFile();
      file?.close();
      file = next;
    },
    [Symbol.dispose]: () => file?.close(),
  };
}

function open(
  path: string,
  mounts: readonly Mount[],
  flag: keyof typeof CONTENTS,
): Deno.FsFile {
  const refuse = (reason: string) =>
    new UserError(
      `Cannot write ${
        CONTENTS[flag]
      } to "${path}": ${reason}. Choose another file with ${flag}.`,
      EXIT.usage,
    );
  let file: Deno.FsFile;
  try {
    // Logs may hold code, which is for their owner alone.
    file = Deno.openSync(path, { append: true, create: true, mode: 0o600 });
  } catch (error) {
    throw refuse(reasonOf(error));
  }
  const mount = maybeMount(path, mounts);
  if (!mount) return file;
  file.close();
  throw refuse(`it is within "${mount.host}", which Python sees`);
}
