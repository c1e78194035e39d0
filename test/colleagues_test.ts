/**
 * Colleagues for a minute, with each disturbance once. `deno task slow` has forty of
 * them for ten minutes, as `test/bench/colleagues.ts`.
 *
 * @module
 */
import { assertEquals } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import {
  colleaguesComplaints,
  colleaguesReport,
} from "./bench/colleagues/report.ts";
import { LONG, runColleagues, SHORT } from "./bench/colleagues/run.ts";
import { ALL_ROUNDS } from "./support/rounds.ts";

const NO_PROC = Deno.build.os !== "linux" && "needs /proc to find processes";
if (NO_PROC) log(`skipped: colleagues: ${NO_PROC}`);

Deno.test({
  name:
    "sessions of many clients at two servers neither fork nor go back untold, whatever is killed or stopped",
  ignore: Boolean(NO_PROC),
  async fn() {
    const seed = ALL_ROUNDS ? Date.now() % 2 ** 31 : 29;
    log(`seed ${seed}`);
    const outcome = await runColleagues({
      ...ALL_ROUNDS ? LONG : SHORT,
      seed,
    });
    log(colleaguesReport(outcome));
    // How old a loss may be depends on the machine's speed: the bench judges that.
    assertEquals(colleaguesComplaints(outcome, { ages: false }), []);
  },
});
