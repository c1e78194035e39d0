/**
 * A program that uses the library, loses its server process, and goes on; prints
 * as JSON what came of it.
 *
 * @module
 */
import { print } from "../../src/log.ts";
import { openPython } from "./open_python.ts";
import { CACHE } from "./command.ts";
import { descendants, processesNamed, whichOutlive } from "./processes.ts";

/** What came of it. */
export interface LibraryReport {
  /** The error of the run whose server was killed. */
  lost: string;
  /** Status of the run after that. */
  next: string;
  /** Statuses of sessions, of which there may be two. */
  sessions: string[];
  /** Processes of sessions that are closed. */
  closed: number;
  /** Processes at the end. */
  left: number;
}

if (import.meta.main) {
  let lost = "";
  let next = "";
  const sessions: string[] = [];
  let closed = 0;
  {
    await using python = await openPython({
      ...{ cacheDir: CACHE, maxConcurrency: 1, maxSessions: 2 },
    });
    const [one, two, three] = [1, 2, 3].map(() => python.session());
    for (const session of [one, two, three, one, three]) {
      sessions.push((await session?.run("1"))?.status ?? "");
      if (sessions.length === 4) await one?.close();
    }
    await two?.close();
    await three?.close();
    const all = processesNamed("sandbox", Deno.pid);
    // The pool keeps one.
    closed = (await whichOutlive(all, { most: 1 })).length;
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
  print(
    JSON.stringify(
      { lost, next, sessions, closed, left } satisfies LibraryReport,
    ),
  );
}
