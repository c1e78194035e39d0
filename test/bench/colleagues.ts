/**
 * `deno task colleagues`: forty clients of four tokens, with two servers that share a store, whose processes
 * are killed and stopped, and which are started again: no session may fork, go back
 * untold, or lose what the store has. `docs/measuring.md` explains it.
 *
 * Arguments: seconds, seed, clients, and a file for the servers' logs.
 *
 * @module
 */
import { EXIT } from "../../src/errors.ts";
import { log, print } from "../../src/log.ts";
import {
  colleaguesComplaints,
  colleaguesNotes,
  colleaguesReport,
} from "./colleagues/report.ts";
import { LONG, runColleagues } from "./colleagues/run.ts";
import { describeMachine } from "./machine.ts";

if (import.meta.main) {
  const [
    seconds = LONG.seconds,
    seed = Date.now() % 2 ** 31,
    clients = LONG.clients,
  ] = Deno.args.slice(0, 3).map(Number);
  log(`seed ${seed}`);
  const outcome = await runColleagues({
    ...{ ...LONG, seconds, seed, clients },
  });
  print(
    `${describeMachine()}, ${clients} clients, ${seconds} s, seed ${seed}\n\n`,
  );
  print(`${colleaguesReport(outcome)}\n`);
  for (const note of colleaguesNotes(outcome)) log(`note: ${note}`);
  const complaints = colleaguesComplaints(outcome);
  for (const complaint of complaints) log(`error: ${complaint}`);
  const [, , , logs] = Deno.args;
  if (logs !== undefined) await Deno.writeTextFile(logs, outcome.logs);
  Deno.exit(complaints.length > 0 ? EXIT.failure : EXIT.ok);
}
