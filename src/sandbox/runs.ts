import type { Cancelled, Ending } from "../protocol/run_messages.ts";
import type { FromSandbox, StartRun } from "../protocol/sandbox_messages.ts";
import type { RunFile } from "../protocol/run_files.ts";
import type { RunSetup } from "../protocol/run_setup.ts";
import type { RunLimits } from "../protocol/run_limits.ts";
import {
  LONGEST_ERROR,
  LONGEST_SUMMARY,
  longestValue,
  MOST_OUTPUT,
} from "../protocol/bounds.ts";
import { cutText } from "../results/cut.ts";
import type { Interpreter } from "../engines/engine.ts";
import { type RunControl, runWithin } from "./run_within_limits.ts";
import { RunGate } from "./run_gate.ts";

/** A run, with the files that came before it. */
export type AskedRun = Omit<StartRun, "type"> & { files?: RunFile[] };

export interface ServedRun {
  endedByItself: boolean;
  /** Whether Python has come back from it, and may go on. */
  cameBack: boolean;
  isKept: boolean;
  memoryMiB: number;
}

/**
 * Serves a run: sends its messages as far as they keep to their bounds, and then how
 * it ended. An interpreter that is kept waits for the next run of its session.
 */
export async function serveRun(
  interpreter: Interpreter,
  run: AskedRun,
  send: (message: FromSandbox) => Promise<void>,
  limits: RunLimits & RunControl & { setup: RunSetup },
): Promise<ServedRun> {
  const { setup, onGivenUp, meter, reached, clock } = limits;
  reached.clear();
  const measured = meter.measure();
  const gate = new RunGate(setup, { send, answer: interpreter.answer, clock });
  let wasGivenUp = false;
  const control = {
    ...limits,
    onGivenUp() {
      wasGivenUp = true;
      onGivenUp();
    },
  };
  const ending = await runWithin(
    control,
    interpreter,
    run,
    (message) => gate.take(message),
  );
  const printed = await gate.close();
  const bounded = bound(ending, setup);
  const cameBack = !wasGivenUp && bounded.ending.status !== "crashed" &&
    ending.status !== "memory-limit";
  const goesOn = !wasGivenUp && ending.status === "memory-limit" &&
    ending.goesOn === true;
  const isKept = run.isKept === true && (cameBack || goesOn);
  const used = { ...measured(), hosts: [...reached] };
  await send({ type: "done", run: run.id, ...bounded, printed, isKept, used });
  const endedByItself = ending.status === "success" ||
    ending.status === "run-error";
  const { memoryMiB } = used;
  return { endedByItself, cameBack, isKept, memoryMiB };
}

/** Python can say anything of any length: it can have replaced our own code. */
function bound(
  ending: Ending | Cancelled,
  { maxOutput }: RunSetup,
): { ending: Ending | Cancelled; errorLength?: number } {
  if (ending.status !== "success") {
    const { text, total } = cutText(ending.error, maxOutput ?? LONGEST_ERROR);
    const errorLength = total === undefined ? {} : { errorLength: total };
    return { ending: { ...ending, error: text }, ...errorLength };
  }
  const { value, shown, summary = "", ...rest } = ending;
  if (value.length > longestValue(maxOutput)) {
    const error = "The sandbox sent a larger value than it may.";
    return { ending: { status: "crashed", error } };
  }
  return {
    ending: {
      ...{ ...rest, value },
      ...shown === undefined
        ? {}
        : { shown: cutText(shown, maxOutput ?? MOST_OUTPUT).text },
      ...summary === "" || summary.length > LONGEST_SUMMARY ? {} : { summary },
    },
  };
}
