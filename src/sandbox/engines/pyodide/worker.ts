/**
 * The untrusted side: one Python interpreter, one run.
 *
 * @module
 */
import { firstMessage, lastWords } from "./doors.ts";
import { boot } from "./boot.ts";
import { mountPackages } from "./packages.ts";
import { stackGuard } from "./stack.ts";
import { openBacklog } from "./backlog.ts";
import { connectCalls } from "./calls.ts";
import { connectOutput } from "./output.ts";
import type {
  Ending,
  FromWorker,
  RunRequest,
  ToWorker,
  WorkerStart,
} from "../../../protocol/messages.ts";
import type { PyCallable } from "../../../../deps/pyodide.ts";

// The host is trusted, and nothing else can have sent this.
const start = await firstMessage as WorkerStart;
const { port } = start;
const post = port.postMessage.bind(port) as (message: FromWorker) => void;

try {
  const python = await boot(start);
  mountPackages(python, start.packages);
  const takeRoom = openBacklog(start);
  const flush = connectOutput(python, takeRoom, post);
  const calls = connectCalls(takeRoom, post, flush);
  python.setInterruptBuffer(new Uint8Array(start.interrupt));
  const runner = python.pyimport("mcp_runner.runner");
  runner.guard_stack = stackGuard(python);
  runner.connect_host(calls.ask, calls.notify);
  await runner.after_restore.callPromising();
  port.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
    if (data.type === "interrupt") {
      // Python waits, or nobody would read this: KeyboardInterrupt would hit
      // what is to wake it, and be lost with the wakening.
      new Uint8Array(start.interrupt)[0] = 0;
      return runner.interrupt();
    }
    if (data.type === "answer") return calls.answer(data);
    const ending = await run(runner.run, data.request);
    flush();
    post({ type: "done", ending });
  };
  post({ type: "ready" });
} catch (error) {
  post({ type: "broken", reason: `${error} ${lastWords.text}`.trim() });
}

async function run(
  runCode: PyCallable,
  { code, globals, maxOutput, installable }: RunRequest,
): Promise<Ending> {
  try {
    const text = await runCode.callPromising(
      code,
      globals,
      maxOutput ?? undefined,
      JSON.stringify(installable),
    );
    return JSON.parse(text);
  } catch (error) {
    return {
      status: "crashed",
      error: `The interpreter died: ${error} ${lastWords.text}`.trim(),
    };
  }
}
