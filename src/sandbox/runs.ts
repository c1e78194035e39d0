import type {
  Ending,
  FromSandbox,
  RunRequest,
  Stream,
} from "../protocol/messages.ts";
import { cutText } from "../results/cut.ts";
import { OutputLimiter } from "../results/output.ts";
import { longestValue } from "../results/result.ts";
import type { Interpreter } from "./engines/engine.ts";
import type { Meter } from "./meter.ts";
import { type RunLimits, runWithin } from "./limits.ts";

/**
 * Runs what is asked, and sends what it prints and how it ends.
 *
 * @returns Whether the code came to an end by itself.
 */
export async function serveRun(
  interpreter: Interpreter,
  request: RunRequest,
  send: (message: FromSandbox) => Promise<void>,
  limits: RunLimits & { meter: Meter },
): Promise<boolean> {
  const output = new OutputLimiter(request.maxOutput ?? Infinity);
  const pass = async (stream: Stream, text: string) => {
    if (text !== "") await send({ type: "output", stream, text });
  };
  const ending = await runWithin(
    limits,
    interpreter,
    request,
    (stream, text) => pass(stream, output.push(text)),
  );
  const { rest, total } = output.finish();
  await pass("stdout", rest);
  await send({ type: "done", ending: bound(ending, request), printed: total });
  return ending.status === "success" || ending.status === "run-error";
}

/** What Python says can be of any length: it can have replaced our own code. */
function bound(ending: Ending, { maxOutput }: RunRequest): Ending {
  const limit = longestValue(maxOutput);
  if (ending.status !== "success") {
    return { ...ending, error: cutText(ending.error, limit).text };
  }
  if (ending.value.length <= limit) return ending;
  return {
    status: "crashed",
    error: "The sandbox sent a larger value than it may.",
  };
}
