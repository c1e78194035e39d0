// A server that has this process's own streams: no byte of its protocol passes here.
import { maybe, reasonOf, UserError } from "../../errors.ts";
import { log } from "../../log.ts";
import { END_SIGNALS, HANGUP } from "../../signals.ts";
import { kill } from "../spawn.ts";

/** A program that is ready to be started. */
export interface Guest {
  /** The words of its command line. */
  words: string[];
  variables: Readonly<Record<string, string>>;
}

/**
 * Runs a server to its end, and passes signals on to it.
 *
 * @param folder Of the run, to be removed if this process is killed.
 * @returns Its exit code; as a shell gives it, if a signal ended the server.
 */
export async function runGuest(
  { words, variables }: Guest,
  folder?: string,
): Promise<number> {
  const [program = "", ...args] = words;
  const end = startEnd(folder);
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(program, {
      ...{ args, clearEnv: true, env: variables },
      ...{ stdin: "inherit", stdout: "inherit", stderr: "inherit" },
    }).spawn();
  } catch (error) {
    throw new UserError(`Cannot start "${program}": ${reasonOf(error)}.`);
  }
  // Until then it has not read a byte of its client.
  await end?.note(child.pid);
  for (const signal of [...END_SIGNALS, ...HANGUP]) {
    Deno.addSignalListener(signal, () => maybe(() => child.kill(signal)));
  }
  try {
    const { code } = await child.status;
    await end?.note("ended");
    return code;
  } finally {
    kill(child);
  }
}

/**
 * Ends the process that was named, and removes a folder, unless a second line comes
 * before the end.
 */
const SCRIPT = `trap '' INT TERM HUP QUIT
read -r pid || exit 0
read -r ended && exit
kill -9 "$pid"
[ -z "$1" ] || rm -rf -- "$1"`;

/** A shell that ends the server if this process is killed. */
function startEnd(folder = "") {
  try {
    const shell = new Deno.Command("/bin/sh", {
      args: ["-c", SCRIPT, "end", folder],
      ...{ stdin: "piped", stdout: "null", stderr: "null" },
      ...{ clearEnv: true, cwd: "/" },
    }).spawn();
    shell.unref();
    const writer = shell.stdin.getWriter();
    return {
      note: (line: string | number) =>
        writer.write(new TextEncoder().encode(`${line}\n`)).catch(() => {}),
    };
  } catch (error) {
    if (Deno.build.os !== "windows") {
      log(`The server may outlive a kill of this program: ${reasonOf(error)}`);
    }
  }
}
