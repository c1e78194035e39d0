// The untrusted side: an interpreter after another, and their runs. Python has no way to
// this code; but all that comes from it is read as from a stranger.
import type { FromWorker } from "../../shared/from_worker.ts";
import { openBrake, type Post, withBrake } from "../../shared/backlog.ts";
import { WorkerOutput } from "../../shared/output.ts";
import { toLeftOut } from "../../shared/left_out.ts";
import type { RunOrder } from "../../shared/run_order.ts";
import type { ToWorker, WorkerStart } from "../worker_messages.ts";
import { Files } from "./files.ts";
import { openHttp } from "./http_request.ts";
import { Instance } from "./instance.ts";
import { MontyRun } from "./run.ts";

const start = await new Promise<WorkerStart>((resolve) => {
  const take = (event: Event) => resolve(Reflect.get(event, "data"));
  addEventListener("message", take, { once: true });
});
const { port, setup } = start;
start.ownReads.forEach(forgetFile);
const send: Post = withBrake(
  openBrake(start.backlog),
  port.postMessage.bind(port) as Post,
);
const wanted = new Int32Array(start.interrupt);
const output = new WorkerOutput(send);
const http = openHttp(start.network);
const isInterrupted = () => running > 0 && Atomics.load(wanted, 0) === running;
let run: MontyRun | undefined;
let running = 0;
let interpreter = makeInterpreter();

port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === "run") void serve(data);
  else if (data.type === "interrupt") {
    if (data.id === running) run?.interrupt();
  } else {
    interpreter = makeInterpreter(interpreter.instance);
    say({ type: "ready" });
  }
};
say({ type: "ready" });

function forgetFile(path: string): void {
  Deno.permissions.revokeSync({ name: "read", path });
}

function say(message: FromWorker): void {
  port.postMessage(message);
}

function makeInstance(): Instance {
  return new Instance(start.module, {
    memoryBytes: start.memoryBytes,
    isInterrupted,
    print: (stream, text) => output.write(stream, text),
  });
}

/** A fresh interpreter, with files of its own. */
function makeInterpreter(used?: Instance) {
  const instance = used?.reset() ? used : makeInstance();
  const { fileLimits, mounts } = start;
  return { instance, files: new Files({ ...fileLimits, mounts }) };
}

async function serve(
  { id, request, files, wantsFiles }: RunOrder,
): Promise<void> {
  running = id;
  run = new MontyRun(interpreter, makeInstance, {
    ...{ request, setup, http, output, send, isInterrupted },
  });
  const leftOut = interpreter.files.put(files);
  output.write("stderr", toLeftOut("Not put into /workspace", leftOut));
  const ending = await run.serve(start.memoryBytes);
  output.flush();
  if (wantsFiles) {
    for (const message of interpreter.files.changes()) send(message);
  }
  running = 0;
  run = undefined;
  Atomics.store(wanted, 0, 0);
  send({ type: "done", id, ending });
}
