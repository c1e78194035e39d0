import type { Ending, RunRequest } from "../protocol/messages.ts";
import type { Interpreter, RunEvents } from "./engines/engine.ts";

/** Time between asking code to stop and giving up on it. */
const GRACE_MS = 2000;
const MEMORY_WATCH_MS = 100;
/** What a process needs beside Python's own memory. */
const OVERHEAD_MIB = 512;
const MIB = 1024 * 1024;

/** Limits of a sandbox process. */
export interface RunLimits {
  /** Memory of one interpreter, in MiB. */
  memoryMiB: number;
}

/**
 * Runs code within its limits.
 *
 * At the deadline the code is interrupted; if it does not come back within the
 * grace time, or the process grows too large, it is given up: the caller must
 * end this process.
 */
export async function runWithin(
  limits: RunLimits,
  interpreter: Interpreter,
  request: RunRequest,
  events: RunEvents,
): Promise<Ending> {
  const givenUp = Promise.withResolvers<Ending>();
  let late = false;
  let grace: ReturnType<typeof setTimeout> | undefined;
  const deadline = setTimeout(() => {
    late = true;
    interpreter.interrupt();
    const stuck = timeout(request, "It did not react to the interrupt.");
    grace = setTimeout(() => givenUp.resolve(stuck), GRACE_MS);
  }, request.timeoutMs);
  const watch = setInterval(() => {
    if (Deno.memoryUsage().rss > (limits.memoryMiB + OVERHEAD_MIB) * MIB) {
      givenUp.resolve(outOfMemory(limits));
    }
  }, MEMORY_WATCH_MS);
  try {
    const running = interpreter.run(request, events);
    const ending = await Promise.race([running, givenUp.promise]);
    if (ending.status === "memory-limit") return outOfMemory(limits);
    return late && ending.status !== "timeout" ? timeout(request) : ending;
  } finally {
    clearTimeout(deadline);
    clearTimeout(grace);
    clearInterval(watch);
  }
}

function timeout({ timeoutMs }: RunRequest, more = ""): Ending {
  const error = `The code was stopped after ${
    timeoutMs / 1000
  } s, its time limit. ${more}`;
  return {
    status: "timeout",
    error: `${error.trim()} Allow more with the call's timeout, or --timeout.`,
  };
}

function outOfMemory({ memoryMiB }: RunLimits): Ending {
  return {
    status: "memory-limit",
    error:
      `Python ran out of memory: its limit is ${memoryMiB} MiB. Work on smaller parts, or allow more with --memory.`,
  };
}
