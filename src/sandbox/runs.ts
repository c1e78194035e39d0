import type { FromSandbox, Stream, ToSandbox } from "../protocol/messages.ts";
import type { Queue } from "../protocol/queue.ts";
import { OutputLimiter } from "../results/output.ts";
import type { Engine } from "./engines/engine.ts";
import { type RunLimits, runWithin } from "./limits.ts";

/** After this many runs a process makes room for a new one. */
const RUNS_PER_PROCESS = 200;

/**
 * Runs what is asked, one run after the other, each in an interpreter of its
 * own that was made ready before it was asked for.
 *
 * @returns When this process should be replaced: after a run that did not end
 * by itself, or after many.
 */
export async function serveRuns(
  engine: Engine,
  inbox: Queue<ToSandbox>,
  send: (message: FromSandbox) => Promise<void>,
  limits: RunLimits,
): Promise<void> {
  for (let left = RUNS_PER_PROCESS; left > 0; left--) {
    using interpreter = await engine.prepare();
    await send({ type: "ready" });
    const { id, request } = await inbox.next();
    const output = new OutputLimiter(request.maxOutput ?? Infinity);
    const pass = async (stream: Stream, text: string) => {
      if (text !== "") await send({ type: "output", id, stream, text });
    };
    const ending = await runWithin(
      limits,
      interpreter,
      request,
      (stream, text) => pass(stream, output.push(text)),
    );
    const { rest, total } = output.finish();
    await pass("stdout", rest);
    await send({ type: "done", id, ending, printed: total });
    if (ending.status !== "success" && ending.status !== "run-error") return;
  }
}
