/**
 * The untrusted side: one Python interpreter, one run.
 *
 * @module
 */
import { firstMessage, lastWords } from "./doors.ts";
import { boot } from "./boot.ts";
import { closeNode } from "./close_node.ts";
import { freezeLanguage } from "./freeze.ts";
import { mounting } from "./mounting.ts";
import { mountPackages } from "./packages.ts";
import { limitFiles } from "./file_space.ts";
import { stackGuard } from "./stack.ts";
import { openBrake, type Post, withBrake } from "./backlog.ts";
import { connectCalls } from "./calls.ts";
import { connectDisplays } from "./displays.ts";
import { Network, networkForPython } from "./http_exchange.ts";
import { connectOutput } from "./output.ts";
import { openWorkspace } from "./workspace.ts";
import type {
  Ending,
  RunRequest,
  ToWorker,
} from "../../../protocol/run_messages.ts";
import type { PyCallable } from "../../../../deps/pyodide.ts";
import type { WorkerStart } from "../worker_start.ts";

// The host is trusted, and nothing else can have sent this.
const start = await firstMessage as WorkerStart;
const { port } = start;
const post = port.postMessage.bind(port) as Post;

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
  mounting.mount?.(python, start.mounts ?? []);
  limitFiles(python.FS, start.fileLimits);
  // After that, as what packages do when they are imported is no run's.
  const brake = openBrake(start.backlog);
  const send = withBrake(brake, post);
  const flush = connectOutput(python, send);
  // Nobody can type: reading comes to an end at once.
  python.setStdin({ stdin: () => null });
  const calls = connectCalls(send, flush);
  runner.connect_host(calls.ask, calls.notify);
  runner.connect_displays(connectDisplays(send, flush));
  const network = new Network();
  if (start.network) network.connect(start.network, brake);
  runner.connect_network(networkForPython(network));
  const workspace = openWorkspace(python.FS, send);
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
    const ending = tryTo(() => workspace.put(data.files ?? [])) ??
      await run(runner.run, data.request);
    flush();
    const failed = data.wantsFiles && tryTo(() => workspace.send());
    post({ type: "done", ending: failed || ending });
  };
  post({ type: "ready" });
} catch (error) {
  post({ type: "broken", reason: `${error} ${lastWords.text}`.trim() });
}

/** Says how moving files has failed, if it has. */
function tryTo(move: () => void): Ending | undefined {
  try {
    move();
  } catch (error) {
    const reason = Reflect.get(Object(error), "errno") === undefined
      ? `${error}`
      : "there is no room for them (--max-files-size, --max-files)";
    return {
      status: "crashed",
      error: `The files of the run could not be moved: ${reason}`,
    };
  }
}

function describeLimits({ bytes, nodes }: WorkerStart["fileLimits"]): string {
  return `${bytes / 2 ** 20} MiB, and be ${nodes} with their folders`;
}

async function run(
  runCode: PyCallable,
  { code, globals, maxOutput, installable, images }: RunRequest,
): Promise<Ending> {
  try {
    const text = await runCode.callPromising(
      code,
      globals,
      maxOutput ?? undefined,
      JSON.stringify(installable),
      JSON.stringify(images),
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
