import { HAS_PROC, maybeRead, threadsOf } from "../support/proc.ts";
import { cpuMsOf, familyOf } from "./usage.ts";

const QUIET_CHECKS = 4;
const CHECK_EVERY_MS = 10;
const LIMIT_MS = 60_000;
/** Where nobody tells who is busy. */
const PAUSE_MS = 1000;

/**
 * Waits until a process and all below it have nothing left to do: in several
 * checks in a row, no thread wanted to run and no CPU time was used.
 */
export async function untilIdle(pid: number): Promise<void> {
  if (!HAS_PROC) return await delay(PAUSE_MS);
  const deadline = Date.now() + LIMIT_MS;
  let family = familyOf(pid);
  let last: number | undefined;
  for (let quiet = 0; quiet < QUIET_CHECKS;) {
    if (Date.now() > deadline) {
      throw new Error(`Process ${pid} is not idle after ${LIMIT_MS} ms`);
    }
    await delay(CHECK_EVERY_MS);
    // To look for new processes costs CPU time, which a busy one needs.
    if (family.some(wantsToRun)) {
      quiet = 0;
      continue;
    }
    family = familyOf(pid);
    const used = cpuMsOf(pid);
    const isQuiet = used === last && !family.some(wantsToRun);
    quiet = isQuiet ? quiet + 1 : 0;
    last = used;
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Whether a thread of this process is running, or would if it could. */
function wantsToRun(pid: number): boolean {
  return threadsOf(pid).some((thread) =>
    /\) [RD] /.test(maybeRead(`${thread}/stat`) ?? "")
  );
}
