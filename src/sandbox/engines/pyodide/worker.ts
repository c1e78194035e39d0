/**
 * The untrusted side: one Python interpreter, one run.
 *
 * @module
 */
import { firstMessage, lastWords } from "./doors.ts";
import { boot } from "./boot.ts";
import { closeNode } from "./close_node.ts";
import { freezeLanguage } from "./freeze.ts";
import { mountPackages } from "./packages.ts";
import { limitFiles } from "./file_space.ts";
import { stackGuard } from "./stack.ts";
import { openBacklog } from "./backlog.ts";
import { connectCalls } from "./calls.ts";
import { network, networkForPython } from "./network.ts";
import { connectOutput } from "./output.ts";
import type {
  Ending,
  FromWorker,
  RunRequest,
  ToWorker,
} from "../../../protocol/messages.ts";
import type { PyCallable } from "../../../../deps/pyodide.ts";
import type { WorkerStart } from "./worker_start.ts";

// The host is trusted, and nothing else can have sent this.
const start = await firstMessage as WorkerStart;
const { port } = start;
const post = port.postMessage.bind(port) as (message: FromWorker) => void;

try {
  const python = await boot(start);
  mountPackages(python, start.packages);
  python.setInterruptBuffer(new Uint8Array(start.interrupt));
  const runner = python.pyimport("mcp_runner.runner");
  runner.guard_stack = stackGuard(python);
  closeNode(python);
  freezeLanguage();
  runner.files_limit = describeLimits(start.fileLimits);
  for (const folder of start.folders) python.FS.mkdirTree(folder);
  await runner.after_restore.callPromising(JSON.stringify(start.imports));
  limitFiles(python.FS, start.fileLimits);
  // After that, as what packages do when they are imported is no run's.
  const takeRoom = openBacklog(start);
  const flush = connectOutput(python, takeRoom, post);
  const calls = connectCalls(takeRoom, post, flush);
  runner.connect_host(calls.ask, calls.notify);
  if (start.network) network.connect(start.network, takeRoom);
  runner.connect_network(networkForPython(network));
  port.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
    if (data.type === "interrupt") {
      // Python waits, or nobody would read this: KeyboardInterrupt would hit
      // what is to wake it, and be lost with the wakening.
      new Uint8Array(start.interrupt)[0] = 0;
      return runner.interrupt();
    }
    if (data.type === "answer") return calls.answer(data);
    const { variables = {} } = data.request;
    if (Object.keys(variables).length > 0) {
      runner.put_variables(JSON.stringify(variables));
    }
    const ending = await run(runner.run, data.request);
    flush();
    post({ type: "done", ending });
  };
  post({ type: "ready" });
} catch (error) {
  post({ type: "broken", reason: `${error} ${lastWords.text}`.trim() });
}

function describeLimits({ bytes, nodes }: WorkerStart["fileLimits"]): string {
  return `${bytes / 2 ** 20} MiB, and be ${nodes} with their folders`;
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
    return { status: "crashed", error: `The interpreter died: ${why(error)}` };
  }
}

function why(error: unknown): string {
  // Pyodide tells of an error in three ways, one after the other.
  const [, thrown = String(error)] = /gives """(.*?)"""/s.exec(`${error}`) ??
    [];
  if (thrown.includes("Maximum call stack size exceeded")) {
    return "its stack was full. Nest and recurse less deep.";
  }
  return `${thrown} ${lastWords.text}`.trim();
}
