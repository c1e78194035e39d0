/**
 * `deno task soak`: thousands of runs of all kinds, several at once, in
 * processes some of which are killed or stopped. Nothing may leak, and every
 * answer must belong to its question. `docs/measuring.md` explains it.
 *
 * Arguments: runs, and the seed of an earlier soak.
 *
 * @module
 */
import { EXIT } from "../../src/errors.ts";
import { log, print } from "../../src/log.ts";
import { describeMachine } from "./machine.ts";
import { openProgress, type Progress } from "./soak/progress.ts";
import { complaints, soakReport } from "./soak/report.ts";
import { soak } from "./soak/soak.ts";

const RUNS = 2000;

if (import.meta.main) {
  const [runs = RUNS, seed = Date.now() % 2 ** 31] = Deno.args.map(Number);
  log(`${runs} runs, seed ${seed}: deno task soak ${runs} ${seed}`);
  let progress: Progress | undefined;
  let faults = 0;
  const started = Date.now();
  const soaked = await soak({
    runs,
    seed,
    servers: 2,
    callers: 3,
    untilFloor: true,
    onProgress(tally, count) {
      faults = count;
      progress ??= openProgress(runs, tally, () => faults);
      progress.show();
    },
  });
  progress?.[Symbol.dispose]();
  print(`${describeMachine()}, seed ${seed}\n\n`);
  print(`${soakReport(soaked)}\n`);
  print(`${Math.round((Date.now() - started) / 1000)} s\n`);
  const wrong = complaints(soaked);
  for (const complaint of wrong) log(`error: ${complaint}`);
  Deno.exit(wrong.length > 0 ? EXIT.failure : EXIT.ok);
}
