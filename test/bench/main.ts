/**
 * `deno task bench`: how fast and how large the server is, beside plain
 * baselines, all measured here and now. `docs/measuring.md` explains it.
 *
 * Its arguments are names of figures, to measure these alone.
 *
 * @module
 */
import { EXIT } from "../../src/errors.ts";
import { log, print } from "../../src/log.ts";
import { command } from "../support/command.ts";
import { Bench } from "./bench.ts";
import { FIGURES } from "./figures.ts";
import { describeMachine } from "./machine.ts";
import { speedReport } from "./report_speed.ts";

/** Longer than this, and something hangs. */
const LIMIT_MS = 30 * 60_000;

if (import.meta.main) {
  const wanted = Deno.args.length > 0 ? Deno.args : Object.keys(FIGURES);
  const unknown = wanted.find((name) => !Object.hasOwn(FIGURES, name));
  if (unknown !== undefined) {
    log(
      `error: There is no figure "${unknown}". There are ${
        Object.keys(FIGURES).join(", ")
      }.`,
    );
    Deno.exit(EXIT.usage);
  }
  Deno.unrefTimer(setTimeout(giveUp, LIMIT_MS));
  print(`${describeMachine()}\n\n`);
  log("Preparing …");
  const { code, stderr } = await command(["install"]);
  if (code !== 0) throw new Error(`Cannot prepare the cache: ${stderr}`);
  const bench = new Bench();
  const failed: string[] = [];
  for (const [name, measure] of Object.entries(FIGURES)) {
    if (!wanted.includes(name)) continue;
    log(`Measuring ${name} …`);
    try {
      for (const table of await measure(bench)) print(`${table}\n\n`);
    } catch (error) {
      // The figures before have taken minutes.
      failed.push(name);
      log(`error: Cannot measure ${name}: ${Deno.inspect(error)}`);
    }
  }
  if (bench.speed.length > 0) print(`${speedReport(bench.speed)}\n`);
  if (failed.length > 0) {
    log(`error: Cannot measure ${failed.join(", ")}: the reasons are above.`);
    Deno.exit(EXIT.failure);
  }
}

function giveUp(): void {
  log(`error: The bench is not done after ${LIMIT_MS} ms`);
  Deno.exit(EXIT.failure);
}
