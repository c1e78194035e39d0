import type { Mount } from "../grants/mounts.ts";
import { EXIT, reasonOf, UserError } from "../errors.ts";
import { log, writeAll } from "../log.ts";
import { concat, NEWLINE } from "../protocol/lines.ts";
import { isWithin } from "../grants/is_within.ts";

/** Takes lines of the logs, without their ends; never throws. */
export interface LogSink extends Disposable {
  write(line: Uint8Array): void;
}

/** A file's content, and the option that names it. */
export interface FileKind {
  content: string;
  flag: string;
}

const LOGS: FileKind = { content: "logs", flag: "--log-file" };
export const AUDIT: FileKind = { content: "the audit", flag: "--audit" };

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
  kind: FileKind = LOGS,
): LogSink {
  const file = path === undefined ? undefined : open(path, mounts, kind);
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
          log(
            `warning: Cannot write ${kind.content} to "${path}": ${
              reasonOf(error)
            }.`,
          );
        }
        isBroken = true;
      }
    },
    [Symbol.dispose]: () => file?.close(),
  };
}

function open(
  path: string,
  mounts: readonly Mount[],
  kind: FileKind,
): Deno.FsFile {
  let file: Deno.FsFile;
  try {
    // Logs may hold code, which is for their owner alone.
    file = Deno.openSync(path, { append: true, create: true, mode: 0o600 });
  } catch (error) {
    throw refuse(path, kind, reasonOf(error));
  }
  const mount = maybeMount(path, mounts);
  if (!mount) return file;
  file.close();
  throw refuse(path, kind, `it is within "${mount.host}", which Python sees`);
}

function refuse(
  path: string,
  { content, flag }: FileKind,
  reason: string,
): UserError {
  return new UserError(
    `Cannot write ${content} to "${path}": ${reason}. ` +
      `Choose another file with ${flag}.`,
    EXIT.usage,
  );
}

/** The mount in which Python sees a file; undefined if it sees none. */
export function maybeMount(
  path: string,
  mounts: readonly Mount[],
): Mount | undefined {
  const real = Deno.realPathSync(path);
  return mounts.find(({ host }) => isWithin(real, host, Deno.build));
}
