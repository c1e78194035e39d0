import { assertEquals, assertMatch } from "../../deps/assert.ts";
import type { PythonError } from "../../src/protocol/run_messages.ts";
import type { Json } from "../../src/protocol/run_result.ts";
import {
  type CallingRun,
  type HostCall,
  HostCallError,
} from "../../src/server/host_calls/host_call.ts";

/** Makes a host call as a run of Python would; gives its answer. */
export async function perform(
  call: HostCall,
  run: CallingRun,
  args: unknown,
): Promise<Json> {
  return await call.perform(args, {
    run,
    signal: new AbortController().signal,
  });
}

/** Makes a host call that Python is refused. */
export async function assertRefused(
  call: HostCall,
  run: CallingRun,
  args: unknown,
  [kind, message]: readonly [PythonError, RegExp],
): Promise<void> {
  try {
    await perform(call, run, args);
  } catch (error) {
    if (!(error instanceof HostCallError)) throw error;
    assertEquals(error.kind, kind, error.message);
    return assertMatch(error.message, message);
  }
  throw new Error(`${call.name} answered ${JSON.stringify(args)}.`);
}
