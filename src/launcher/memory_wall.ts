// The kernel's limit of memory: it also holds for a process that is too busy to
// check itself, or that was taken over.
import { maybe } from "../errors.ts";

const KIB_PER_MIB = 1024;
const SHELL = "/bin/sh";
/**
 * `$0` is the limit, `$1` the environment, which is in memory as stored and as
 * unpacked. A lower limit that exists already stays.
 */
const SCRIPT = 'kib=$(du -sk "$1" 2>/dev/null) || kib=1048576; ' +
  "ulimit -d $(($0 + 2 * ${kib%%[!0-9]*})) 2>/dev/null; " +
  // The shell sets these variables: the guest must not learn the launcher's folder.
  'shift; unset PWD OLDPWD; exec "$@"';

// Read when this file is loaded, as the broker gives up `read` later.
const hasShell = Deno.build.os === "linux" &&
  maybe(() => Deno.statSync(SHELL).isFile);

/**
 * Gives the program and arguments that make the kernel bound the writable memory of a
 * process (RLIMIT_DATA). Linux only: other systems do not count V8's maps.
 *
 * @param mebibytes Memory that the process may map or take.
 * @param environment Folder that the process holds in memory beside that, if there is one.
 */
export function memoryWall(mebibytes: number, environment = ""): string[] {
  if (!hasShell) return [];
  const kibibytes = Math.ceil(mebibytes) * KIB_PER_MIB;
  return [SHELL, "-c", SCRIPT, String(kibibytes), environment || "/dev/null"];
}
