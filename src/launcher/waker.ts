import { maybe } from "../errors.ts";

/** Wakes each process that was named, once its input ends. */
const SCRIPT = `trap '' INT TERM HUP
pids=
while read -r pid; do
  case " $pids " in *" $pid "*) ;; *) pids="$pids $pid" ;; esac
done
[ -z "$pids" ] || kill -CONT $pids`;

/**
 * A shell that outlives a launcher which was killed: a process that stands still would
 * stay for ever then, as it does not see the end of its input. It starts with the first
 * process that stands still. The signal does nothing to a process that is awake.
 */
export class Waker {
  #writer: WritableStreamDefaultWriter<Uint8Array> | undefined;

  /** Has a process woken after the launcher's end; resolves once that is noted. */
  async note(pid: number): Promise<void> {
    this.#writer ??= maybe(start);
    await this.#writer?.write(new TextEncoder().encode(`${pid}\n`)).catch(
      () => {
        // The shell was killed: only a kill of the launcher would miss it.
      },
    );
  }
}

function start(): WritableStreamDefaultWriter<Uint8Array> {
  const shell = new Deno.Command("/bin/sh", {
    args: ["-c", SCRIPT],
    ...{ stdin: "piped", stdout: "null", stderr: "null" },
    ...{ clearEnv: true, cwd: "/" },
  }).spawn();
  shell.unref();
  return shell.stdin.getWriter();
}
