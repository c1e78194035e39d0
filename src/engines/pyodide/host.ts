import { MIB } from "../../units.ts";
import { type Mount, mountPlaces } from "../../grants/mounts.ts";
import { startWorker } from "../../grants/start_worker.ts";
import type { Ending, ToWorker } from "../../protocol/run_messages.ts";
import { giveRoom, roomOf } from "./worker/backlog.ts";
import { type Inbox, openInbox } from "./inbox.ts";
import { sizeOf } from "./worker/http_exchange.ts";
import { openWatch } from "./watch.ts";
import type {
  Engine,
  Interpreter,
  RunEvents,
  ServeNetwork,
} from "../engine.ts";
import { readEnvironment, readRuntime, type Runtime } from "./stored_files.ts";
import type { WorkerStart } from "./worker_start.ts";

/** Where a Pyodide engine finds its files, and what its Pythons may take. */
export interface PyodideOptions {
  /** Pyodide's own files. */
  runtime: Runtime;
  /** Folder of the environment. */
  environment: string;
  /** Memory of one interpreter, in MiB. */
  memoryMiB: number;
  /** What the files that a run makes may hold, in MiB. */
  maxFilesMiB: number;
  /** Files, folders and links that a run may make. */
  maxFiles: number;
  /** Folders of this machine that Python sees. */
  mounts?: readonly Mount[];
}

/**
 * Opens the engine: reads and compiles once what each interpreter shares.
 *
 * @param serveNetwork Sends the requests of a run; absent without a granted host.
 */
export async function openPyodide(
  options: PyodideOptions,
  serveNetwork?: ServeNetwork,
): Promise<Engine> {
  const [runtime, environment] = await Promise.all([
    readRuntime(options.runtime),
    readEnvironment(options.environment),
  ]);
  const limits = {
    memoryBytes: options.memoryMiB * MIB,
    fileLimits: { bytes: options.maxFilesMiB * MIB, nodes: options.maxFiles },
    mounts: options.mounts ?? [],
  };
  const files = { ...runtime, ...environment, ...limits };
  return {
    prepare: (onWord) =>
      startInterpreter(files, {
        onWord,
        ...(serveNetwork && { serveNetwork }),
      }),
  };
}

/** What an interpreter is made of. */
export type InterpreterFiles = Omit<
  WorkerStart,
  "port" | "network" | "keep" | "interrupt" | "backlog"
>;

/** What an interpreter has beside its files. */
export interface InterpreterOptions {
  /** Sends the requests of its run; absent without a granted host. */
  serveNetwork?: ServeNetwork;
  /** See `Engine.prepare()`. */
  onWord?: () => void;
}

/**
 * Starts an interpreter in a worker of its own.
 *
 * @throws {Error} If it cannot start; the message says why.
 */
export async function startInterpreter(
  files: InterpreterFiles,
  { serveNetwork, onWord = () => {} }: InterpreterOptions = {},
): Promise<Interpreter> {
  const worker = startPython(files.mounts ?? []);
  const { port1: port, port2 } = new MessageChannel();
  const interrupt = new SharedArrayBuffer(1);
  const backlog = new SharedArrayBuffer(4);
  const room = new Int32Array(backlog);
  const line = serveNetwork && new MessageChannel();
  const watch = await openWatch();
  const messages = openInbox(worker, port, onWord);
  const start: WorkerStart = {
    ...files,
    port: port2,
    keep: watch.far,
    interrupt,
    backlog,
  };
  if (line) start.network = line.port2;
  worker.postMessage(start, [
    port2,
    watch.far,
    ...(line ? [line.port2] : []),
  ]);

  const send = (message: ToWorker) => port.postMessage(message);
  const first = await messages.next();
  if (first.type !== "ready") {
    worker.terminate();
    throw new Error(
      first.type === "broken" ? first.reason : "unexpected message",
    );
  }
  return {
    async run(request, events, { files = [], wantsFiles = false } = {}) {
      // For as long as the run, with which all that it has asked for ends.
      using _network = line && serveNetwork?.(line.port1, {
        onWord,
        onTaken: (request) => giveRoom(room, sizeOf(request)),
      });
      const buffers = files.map(({ bytes }) => bytes.buffer);
      port.postMessage({ type: "run", request, files, wantsFiles }, buffers);
      return await follow(messages, events, room);
    },
    answer: send,
    interrupt() {
      Atomics.store(new Uint8Array(interrupt), 0, 2);
      send({ type: "interrupt" });
    },
    async end() {
      worker.terminate();
      line?.port1.close();
      return await watch.isGone();
    },
  };
}

/** Without mounts, Python's worker may do nothing at all. */
function startPython(mounts: readonly Mount[]): Worker {
  const program = mounts.length > 0
    ? "./worker/mounting_worker.ts"
    : "./worker/worker.ts";
  return startWorker(new URL(program, import.meta.url), mountPlaces(mounts));
}

async function follow(
  messages: Inbox,
  events: RunEvents,
  backlog: Int32Array,
): Promise<Ending> {
  while (true) {
    const message = await messages.next();
    switch (message.type) {
      case "output":
        await events.onOutput(message.stream, message.text);
        break;
      case "display":
        await events.onDisplay(message);
        break;
      case "ask":
      case "notify":
        await events.onCall(message);
        break;
      case "file":
      case "removed":
        await events.onFile(message);
        break;
      case "done":
        return message.ending;
      case "ready":
        return { status: "crashed", error: "The interpreter started twice" };
      case "broken":
        return { status: "crashed", error: message.reason };
    }
    giveRoom(backlog, roomOf(message));
  }
}
