/**
 * A program that uses the library, loses its server process, and goes on; prints
 * as JSON what came of it.
 *
 * @module
 */
import { print } from "../../src/log.ts";
import { openPython } from "../../src/mod.ts";
import { CACHE } from "./command.ts";
import { descendants, processesNamed } from "./processes.ts";

/** What came of it. */
export interface LibraryReport {
  /** The error of the run whose server was killed. */
  lost: string;
  /** Status of the run after that. */
  next: string;
  /** Processes at the end. */
  left: number;
}

if (import.meta.main) {
  let lost = "";
  let next = "";
  {
    await using python = await openPython({ cacheDir: CACHE });
    const running = python.run("print('on', flush=True)\nwhile True: pass", {
      onOutput() {
        for (const pid of processesNamed("server", Deno.pid)) {
          Deno.kill(pid, "SIGKILL");
        }
      },
    });
    lost = await running.then(({ status }) => status, String);
    next = (await python.session().run("1")).status;
  }
  const left = descendants(Deno.pid).length;
  print(JSON.stringify({ lost, next, left } satisfies LibraryReport));
}
