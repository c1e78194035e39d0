import { cutText } from "../results/cut.ts";
import { MIB } from "../units.ts";
import type { Cancelled, Ending } from "../protocol/run_messages.ts";
import {
  largestMiB,
  OVERHEAD_MIB,
  type RunLimits,
} from "../protocol/run_limits.ts";
import { type RunSetup, timeoutRemedy } from "../protocol/run_setup.ts";
import type { RunClock } from "../protocol/run_clock.ts";
import type { Guard } from "./guard.ts";
import type { Interpreter, OnMessage, Run } from "../engines/engine.ts";
import type { Meter } from "./meter.ts";

/** Time between asking code to stop and giving up on it. */
const GRACE_MS = 2000;
/** The same for code whose result is not wanted any more. */
const CANCEL_GRACE_MS = 500;

/** The hold that its process has on a run. */
export interface RunControl {
  meter: Meter;
  guard: Guard;
  /** The run's time, begun with the run. */
  clock: RunClock;
  /** Hosts that the run has reached. */
  reached: Set<string>;
  setup: Pick<RunSetup, "shell" | "hostCalls">;
  /** Is aborted when the client does not want the run's result any more. */
  cancelled: AbortSignal;
  /** Aborts when the code gets a KeyboardInterrupt. */
  interrupted?: AbortSignal;
  /** Called when the run is given up: this process has to end. */
  onGivenUp(): void;
}

/**
 * Runs code within its limits: at the deadline, when its CPU time is used up, or when
 * it is cancelled, the code is interrupted; if it does not come back within the
 * grace time, or the process grows too large, it is given up.
 */
export async function runWithin(
  limits: RunLimits & RunControl,
  interpreter: Interpreter,
  run: Run,
  onMessage: OnMessage,
): Promise<Ending | Cancelled> {
  const { meter, guard, clock, cancelled, interrupted } = limits;
  const { cpuSeconds = Infinity } = limits;
  const { request } = run;
  const givenUp = Promise.withResolvers<Ending | Cancelled>();
  const cpuAtStart = meter.cpuSeconds();
  /** The endings of a stopped run that comes back in time, and of a stuck run. */
  let stopped: Record<"ending" | "stuck", Ending | Cancelled> | undefined;
  let patience = Infinity;
  const stop = (
    why: (more?: string) => Ending | Cancelled,
    graceMs = GRACE_MS,
  ) => {
    if (stopped) return;
    const stuck = why("It did not react to the interrupt. ");
    stopped = { ending: why(), stuck };
    patience = performance.now() + graceMs;
    interpreter.interrupt();
  };
  const cancel = () => stop(() => CANCELLED, CANCEL_GRACE_MS);
  cancelled.addEventListener("abort", cancel);
  let heardBy = Infinity;
  const interrupt = () => {
    heardBy = performance.now() + GRACE_MS;
    interpreter.interrupt();
  };
  interrupted?.addEventListener("abort", interrupt);
  using _check = guard.add(() => {
    const now = performance.now();
    if (isOutgrown(meter, limits)) givenUp.resolve(outgrown(limits));
    if (clock.usedMs >= request.timeoutMs) {
      const { limit, remedy } = describeTime(request, clock, limits.setup);
      stop((more) => timeout(limit, remedy, more));
    }
    if (meter.cpuSeconds() - cpuAtStart > cpuSeconds) {
      const limit = `${cpuSeconds} s of CPU time, its limit`;
      stop((more) => timeout(limit, "--cpu-time", more));
    }
    if (now >= heardBy && interpreter.isDeaf()) givenUp.resolve(CANCELLED);
    if (stopped && now >= patience) givenUp.resolve(stopped.stuck);
  });
  try {
    const running = interpreter.run(run, onMessage);
    if (cancelled.aborted) cancel();
    if (interrupted?.aborted) interrupt();
    givenUp.promise.then(limits.onGivenUp);
    const ending = await Promise.race([running, givenUp.promise]);
    if (ending.status === "memory-limit" && !ending.error) {
      return outOfMemory(limits, ending);
    }
    // A look that was stopped answers all the same, with less.
    if (!stopped || request.look && ending.status === "success") return ending;
    return ending.status === "timeout" ? ending : stopped.ending;
  } finally {
    cancelled.removeEventListener("abort", cancel);
    interrupted?.removeEventListener("abort", interrupt);
  }
}

/** Whether this process has grown by more than a run may make it grow. */
export function isOutgrown(meter: Meter, limits: RunLimits): boolean {
  return meter.grownBytes() > largestMiB(limits) * MIB;
}

const CANCELLED: Cancelled = {
  status: "cancelled",
  error: "The code was cancelled.",
};

/** A run that has waited for all the time that it may has two limits. */
function describeTime(
  { timeoutMs }: Run["request"],
  { isOutOfWait }: RunClock,
  setup: RunControl["setup"],
): { limit: string; remedy: string } {
  const { waitMs = 0 } = setup.hostCalls;
  const waited = isOutOfWait
    ? `, and ${waitMs / 1000} s in which its calls waited`
    : "";
  const limit = `${timeoutMs / 1000} s, its time limit${waited}`;
  return { limit, remedy: timeoutRemedy(setup) };
}

function timeout(limit: string, option: string, more = ""): Ending {
  const error =
    `The code was stopped after ${limit}. ${more}Allow more with ${option}.`;
  return { status: "timeout", error };
}

/** @param ending What Python says of it; packages tell how much they wanted. */
function outOfMemory({ memoryMiB }: RunLimits, ending: Ending): Ending {
  const { errorMessage } = ending;
  const told = errorMessage ? ` (${cutText(errorMessage, 200).text})` : "";
  const error =
    `Python ran out of memory${told}: its limit is ${memoryMiB} MiB. Work on smaller parts, or allow more with --memory.`;
  return {
    ...ending,
    ...{ status: "memory-limit", error },
    // Python's own MemoryError has no message.
    ...errorMessage === "" ? { errorMessage: error } : {},
  };
}

function outgrown(limits: RunLimits): Ending {
  const { memoryMiB, maxFilesMiB } = limits;
  const error = `Python's process grew by more than ${
    largestMiB(limits)
  } MiB: ${memoryMiB} (--memory), ${maxFilesMiB} for files (--max-files-size) and ${OVERHEAD_MIB}. Work on smaller parts, or allow more with --memory.`;
  return { status: "memory-limit", error };
}
