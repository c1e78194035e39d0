import type { Mount } from "../../../grants/mounts.ts";
import { Queue } from "../../../protocol/queue.ts";
import { parseFromWorker } from "../../../protocol/parse.ts";
import type {
  Ending,
  FromWorker,
  ToWorker,
} from "../../../protocol/messages.ts";
import { giveRoom, roomOf, roomOfFile } from "./backlog.ts";
import { openWatch } from "./watch.ts";
import type { Engine, Interpreter, RunEvents } from "../engine.ts";
import { readEnvironment, readRuntime, type Runtime } from "./files.ts";
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

/** Opens the engine: reads and compiles once what each interpreter shares. */
export async function openPyodide(options: PyodideOptions): Promise<Engine> {
  const [runtime, environment] = await Promise.all([
    readRuntime(options.runtime),
    readEnvironment(options.environment),
  ]);
  const limits = {
    memoryBytes: options.memoryMiB * MIB,
    fileLimits: { bytes: options.maxFilesMiB * MIB, nodes: options.maxFiles },
    mounts: options.mounts ?? [],
  };
  return {
    prepare: () => startInterpreter({ ...runtime, ...environment, ...limits }),
  };
}

const MIB = 1024 * 1024;

/** What an interpreter is made of. */
export type InterpreterFiles = Omit<
  WorkerStart,
  "port" | "keep" | "interrupt" | "backlog"
>;

/**
 * Starts an interpreter in a worker of its own.
 *
 * @throws {Error} If it cannot start; the message says why.
 */
export async function startInterpreter(
  files: InterpreterFiles,
): Promise<Interpreter> {
  const worker = startWorker(files.mounts ?? []);
  const { port1: port, port2 } = new MessageChannel();
  const interrupt = new SharedArrayBuffer(1);
  const backlog = new SharedArrayBuffer(4);
  const watch = await openWatch();
  const messages = receive(worker, port);
  const start: WorkerStart = {
    ...files,
    port: port2,
    keep: watch.far,
    interrupt,
    backlog,
  };
  worker.postMessage(start, [port2, watch.far]);

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
      const buffers = files.map(({ bytes }) => bytes.buffer);
      port.postMessage({ type: "run", request, files, wantsFiles }, buffers);
      return await follow(messages, events, new Int32Array(backlog));
    },
    answer: send,
    interrupt() {
      Atomics.store(new Uint8Array(interrupt), 0, 2);
      send({ type: "interrupt" });
    },
    async end() {
      worker.terminate();
      return await watch.isGone();
    },
  };
}

/** Without mounts, Python's worker may do nothing at all. */
function startWorker(mounts: readonly Mount[]): Worker {
  if (mounts.length === 0) {
    return new Worker(new URL("./worker.ts", import.meta.url), {
      type: "module",
      deno: { permissions: "none" },
    });
  }
  const writable = mounts.filter(({ isWritable }) => isWritable);
  return new Worker(new URL("./mounting_worker.ts", import.meta.url), {
    type: "module",
    deno: {
      permissions: {
        read: mounts.map(({ host }) => host),
        ...(writable.length > 0
          ? { write: writable.map(({ host }) => host) }
          : {}),
      },
    },
  });
}

async function follow(
  messages: Queue<FromWorker>,
  events: RunEvents,
  backlog: Int32Array,
): Promise<Ending> {
  while (true) {
    const message = await messages.next();
    switch (message.type) {
      case "output":
        await events.onOutput(message.stream, message.text);
        giveRoom(backlog, message.text.length);
        break;
      case "ask":
      case "notify":
        await events.onCall(message);
        giveRoom(backlog, roomOf(message));
        break;
      case "file":
        await events.onFile(message);
        giveRoom(backlog, roomOfFile(message.bytes));
        break;
      case "removed":
        await events.onFile(message);
        giveRoom(backlog, roomOfFile());
        break;
      case "done":
        return message.ending;
      case "ready":
        return { status: "crashed", error: "The interpreter started twice" };
      case "broken":
        return { status: "crashed", error: message.reason };
    }
  }
}

const OUTSIDE_PROTOCOL: FromWorker = {
  type: "broken",
  reason: "The interpreter sent a message outside the protocol",
};

/** What a worker says, in order; its death is its last word. */
function receive(worker: Worker, port: MessagePort): Queue<FromWorker> {
  const messages = new Queue<FromWorker>();
  port.onmessage = ({ data }) =>
    messages.push(parseFromWorker(data) ?? OUTSIDE_PROTOCOL);
  worker.onerror = (event) => {
    event.preventDefault();
    const reason = `The interpreter died: ${event.message}`;
    messages.push({ type: "broken", reason });
  };
  return messages;
}
