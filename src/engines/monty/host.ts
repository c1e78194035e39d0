import { MIB } from "../../units.ts";
import { mountPlaces } from "../../grants/mounts.ts";
import { startWorker } from "../../grants/start_worker.ts";
import type { RunSetup } from "../../protocol/run_setup.ts";
import type {
  EngineOptions,
  Interpreter,
  OpenEngine,
  ServeNetwork,
} from "../engine.ts";
import { followRun, openInbox } from "../shared/follow_run.ts";
import { openWatch } from "../shared/watch_worker.ts";
import { compile } from "./compile.ts";
import type { MontyFiles } from "./runtime.ts";
import type { ToWorker, WorkerStart } from "./worker_messages.ts";

/** Opens the engine: compiles its WebAssembly, once for all interpreters. */
export const openEngine: OpenEngine<MontyFiles> = async (
  options,
  serveNetwork,
) => {
  const module = await compile(options.runtime.wasm);
  /** A worker whose interpreter has ended in peace: it makes the next one. */
  let idle: MontyWorker | undefined;
  return {
    mostSaved: 0,
    interpretersPerProcess: INTERPRETERS_PER_PROCESS,
    async prepare(setup, onWord) {
      const worker = idle ??
        await startMonty(module, { options, setup, serveNetwork });
      const isUsed = worker === idle;
      idle = undefined;
      await worker.prepare(onWord, isUsed);
      return toInterpreter(worker, (left) => idle = left);
    },
  };
};

/** Ten times as many have made nothing slow: an instance leaves nothing behind. */
const INTERPRETERS_PER_PROCESS = 2000;

type MontyWorker = Awaited<ReturnType<typeof startMonty>>;

/** Starts a worker for interpreters, one after another. */
async function startMonty(
  module: WebAssembly.Module,
  { options, setup, serveNetwork }: {
    options: EngineOptions;
    setup: RunSetup;
    serveNetwork: ServeNetwork | undefined;
  },
) {
  const mounts = options.mounts ?? [];
  const worker = startWorker(
    new URL("./worker/worker.ts", import.meta.url),
    mountPlaces(mounts),
  );
  const { port1: port, port2 } = new MessageChannel();
  const line = serveNetwork && new MessageChannel();
  const watch = await openWatch();
  const interrupt = new Int32Array(new SharedArrayBuffer(4));
  const room = new Int32Array(new SharedArrayBuffer(4));
  let onWord = () => {};
  const messages = openInbox(worker, port, () => onWord());
  const start: WorkerStart = {
    ...{ module, setup, mounts, port: port2, keep: watch.far },
    ownReads: options.ownReads ?? [],
    ...(line ? { network: line.port2 } : {}),
    memoryBytes: options.memoryMiB * MIB,
    fileLimits: { bytes: options.maxFilesMiB * MIB, nodes: options.maxFiles },
    interrupt: interrupt.buffer,
    backlog: room.buffer,
  };
  worker.postMessage(start, [
    ...[port2, watch.far, ...(line ? [line.port2] : [])],
  ]);
  let runs = 0;
  return {
    ...{ messages, room, interrupt },
    get runs() {
      return runs;
    },
    send(message: ToWorker, transfer: Transferable[] = []) {
      if (message.type === "run") runs = message.id;
      port.postMessage(message, transfer);
    },
    serveNetwork: () =>
      line && serveNetwork?.(line.port1, {
        onWord: () => onWord(),
        // A run waits for the answer to each: it has one at a time.
        onTaken() {},
      }),
    /** Waits for an interpreter; of a worker that is used, for the next one. */
    async prepare(listen: () => void, isUsed: boolean) {
      onWord = listen;
      if (isUsed) this.send({ type: "renew" });
      const first = await messages.next();
      if (first.type === "ready") return;
      worker.terminate();
      const reason = first.type === "broken" && first.reason;
      throw new Error(reason || "unexpected message");
    },
    async end(): Promise<boolean> {
      worker.terminate();
      line?.port1.close();
      return await watch.isGone();
    },
  };
}

/** @param leave Takes the worker if it can make another interpreter. */
function toInterpreter(
  worker: MontyWorker,
  leave: (worker: MontyWorker) => void,
): Interpreter {
  /** Whether its instance has ended by itself each time, and can be thrown away. */
  let isIdle = true;
  return {
    async run({ request, files = [], wantsFiles = false }, onMessage) {
      using _network = worker.serveNetwork();
      const { messages, room } = worker;
      Atomics.store(worker.interrupt, 0, 0);
      Atomics.store(room, 0, 0);
      const id = worker.runs + 1;
      isIdle = false;
      const buffers = files.map(({ bytes }) => bytes.buffer);
      worker.send({ type: "run", id, request, files, wantsFiles }, buffers);
      const ending = await followRun(id, { messages, onMessage, room });
      isIdle = ending.status !== "crashed";
      return ending;
    },
    save: () => Promise.resolve({ type: "unsaved", reasons: [NOT_SAVED] }),
    // Its calls are answered within its process.
    answer() {},
    interrupt() {
      Atomics.store(worker.interrupt, 0, worker.runs);
      worker.send({ type: "interrupt", id: worker.runs });
    },
    // Code that ends leaves no task behind.
    interruptTasks() {},
    isDeaf: () => !isIdle && Atomics.load(worker.interrupt, 0) !== 0,
    async end() {
      if (!isIdle) return await worker.end();
      leave(worker);
      return true;
    },
  };
}

const NOT_SAVED = "Monty's sessions are in memory only.";
