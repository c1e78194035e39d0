import type {
  Cancelled,
  Ending,
  FromSandbox,
  RunRequest,
  Stream,
} from "../protocol/run_messages.ts";
import type { RunLimits } from "../protocol/run_limits.ts";
import { LONGEST_ERROR, longestValue } from "../protocol/bounds.ts";
import { DisplayTally } from "../protocol/displays.ts";
import { toFileBounds } from "../protocol/run_files.ts";
import { cutText } from "../results/cut.ts";
import { OutputLimiter } from "../results/output.ts";
import { CallGate } from "./call_gate.ts";
import type { Interpreter } from "../engines/engine.ts";
import { FileGate } from "./file_gate.ts";
import { type RunControl, runWithin } from "./limits.ts";

/**
 * Runs what is asked, and sends what it prints, what it calls, and how it ends.
 *
 * @returns Whether the code came to an end by itself.
 */
export async function serveRun(
  interpreter: Interpreter,
  request: RunRequest,
  send: (message: FromSandbox) => Promise<void>,
  limits: RunLimits & RunControl & { maxFiles: number },
): Promise<boolean> {
  const output = new OutputLimiter(request.maxOutput ?? Infinity);
  const pass = async (stream: Stream, text: string) => {
    if (text !== "") await send({ type: "output", stream, text });
  };
  const calls = new CallGate(request.hostCalls, {
    send,
    answer: interpreter.answer,
  });
  const shown = new DisplayTally(request.images);
  const files = new FileGate(toFileBounds(limits));
  const ending = await runWithin(limits, interpreter, request, {
    onOutput: (stream, text) => pass(stream, output.push(text)),
    // Our own Python sends no more than it may, and says what it leaves out.
    onDisplay: async (display) => {
      if (shown.take(display)) await send(display);
    },
    onCall: (call) => calls.take(call),
    onFile: async (file) => {
      const passed = files.take(file);
      if (passed) await send(passed);
    },
  });
  calls.close();
  await pass("stderr", output.push(files.note()));
  const { rest, total } = output.finish();
  await pass("stdout", rest);
  const bounded = bound(ending, request);
  await send({ type: "done", run: limits.id, ...bounded, printed: total });
  return ending.status === "success" || ending.status === "run-error";
}

/** What Python says can be of any length: it can have replaced our own code. */
function bound(
  ending: Ending | Cancelled,
  { maxOutput }: RunRequest,
): { ending: Ending | Cancelled; errorLength?: number } {
  if (ending.status !== "success") {
    const { text, total } = cutText(ending.error, maxOutput ?? LONGEST_ERROR);
    const errorLength = total === undefined ? {} : { errorLength: total };
    return { ending: { ...ending, error: text }, ...errorLength };
  }
  if (ending.value.length <= longestValue(maxOutput)) return { ending };
  const error = "The sandbox sent a larger value than it may.";
  return { ending: { status: "crashed", error } };
}
