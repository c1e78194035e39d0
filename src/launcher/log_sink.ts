import { isWithin } from "../grants/is_within.ts";
import type { Mount } from "../grants/mounts.ts";
import { EXIT, reasonOf, UserError } from "../errors.ts";
import { log, writeAll } from "../log.ts";
import { concat, NEWLINE } from "../protocol/lines.ts";

/** Takes lines of the logs, without their ends; never throws. */
export interface LogSink extends Disposable {
  write(line: Uint8Array): void;
}

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
): LogSink {
  const file = path === undefined ? undefined : open(path, mounts);
  const stream = file ?? Deno.stderr;
  let isBroken = false;
  return {
    write(line) {
      try {
        // A line that could not be written may have left its start there.
        const start = isBroken ? [NEWLINE] : [];
        writeAll(stream, concat([...start, line, NEWLINE]));
        isBroken = false;
      } catch (error) {
        if (!isBroken && file) {
          log(`warning: Cannot write logs to "${path}": ${reasonOf(error)}.`);
        }
        isBroken = true;
      }
    },
    [Symbol.dispose]: () => file?.close(),
  };
}

function open(path: string, mounts: readonly Mount[]): Deno.FsFile {
  let file: Deno.FsFile;
  try {
    // Logs may hold code, which is for their owner alone.
    file = Deno.openSync(path, { append: true, create: true, mode: 0o600 });
  } catch (error) {
    throw refuse(path, reasonOf(error));
  }
  const real = Deno.realPathSync(path);
  const mount = mounts.find(({ host }) => isWithin(real, host, Deno.build));
  if (!mount) return file;
  file.close();
  throw refuse(path, `it is within "${mount.host}", which Python sees`);
}

function refuse(path: string, reason: string): UserError {
  return new UserError(
    `Cannot write logs to "${path}": ${reason}. ` +
      "Choose another file with --log-file.",
    EXIT.usage,
  );
}
