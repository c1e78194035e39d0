import { MIB } from "../../units.ts";
import { mountPlaces } from "../../grants/mounts.ts";
import { startWorker } from "../../grants/start_worker.ts";
import { CLOSED_SETUP, type RunSetup } from "../../protocol/run_setup.ts";
import { giveRoom } from "../shared/backlog.ts";
import { giveUpSave, wantSave } from "./worker/save_state.ts";
import {
  type Checkpoint,
  mostBytes,
  parseCheckpoint,
  toExpected,
} from "./checkpoint_format.ts";
import { showSecrets } from "./secrets.ts";
import {
  followRewind,
  followRun,
  followSave,
  openInbox,
} from "../shared/follow_run.ts";
import { openWatch } from "../shared/watch_worker.ts";
import { sizeOf } from "./worker/http_exchange.ts";
import type {
  Interpreter,
  OpenEngine,
  SavedInterpreter,
  ServeNetwork,
} from "../engine.ts";
import {
  filesOf,
  openEnvironment,
  readRuntimeFor,
  type Runtime,
  serveFile,
} from "./stored_files.ts";
import type { Rewound } from "../shared/from_worker.ts";
import type { ToWorker, WorkerStart } from "./worker_messages.ts";
import type { SaveEnd } from "../../protocol/checkpoint_messages.ts";
import type { Ending } from "../../protocol/run_messages.ts";
import { MOST_BYTES } from "./worker/memory.ts";

/** Opens the engine: reads and compiles once the files that interpreters share. */
export const openEngine: OpenEngine<Runtime> = async (
  options,
  serveNetwork,
) => {
  const [runtime, environment] = await Promise.all([
    readRuntimeFor(options.environment, options.runtime),
    openEnvironment(options.environment, serveFile),
  ]);
  const files = {
    ...runtime,
    ...environment,
    memoryBytes: options.memoryMiB * MIB,
    fileLimits: { bytes: options.maxFilesMiB * MIB, nodes: options.maxFiles },
    mounts: options.mounts ?? [],
    ownReads: options.ownReads ?? [],
    stackKiB: options.stackKiB,
  };
  const network = serveNetwork && { serveNetwork };
  return {
    prepare: (setup, onWord, from) =>
      startInterpreter(files, {
        setup,
        onWord,
        ...network,
        ...(from ? { from } : {}),
      }),
    mostSaved: mostBytes(files),
  };
};

export type InterpreterFiles = Omit<
  WorkerStart,
  | ("setup" | "port" | "network" | "keep" | "interrupt" | "backlog")
  | ("saving" | "checkpoint" | "isFork")
>;

export interface InterpreterOptions {
  /** Without it, the runs of the interpreter may do nothing. */
  setup?: RunSetup;
  /** Sends the requests of a run; absent without a granted host. */
  serveNetwork?: ServeNetwork;
  onWord?: () => void;
  /** A saved session to go on with. */
  from?: SavedInterpreter;
}

/** Starts an interpreter in a worker of its own, as `Engine.prepare()` says. */
export async function startInterpreter(
  files: InterpreterFiles,
  { setup = CLOSED_SETUP, serveNetwork, onWord = () => {}, from }:
    InterpreterOptions = {},
): Promise<Interpreter> {
  const checkpoint = from && openCheckpoint(from.bytes, files, setup);
  const worker = startPython(files);
  const { port1: port, port2 } = new MessageChannel();
  const byte = new Uint8Array(new SharedArrayBuffer(8), 0, 1);
  const wantedRun = new Int32Array(byte.buffer, 4);
  const room = new Int32Array(new SharedArrayBuffer(4));
  const saving = new Int32Array(new SharedArrayBuffer(4));
  const line = serveNetwork && new MessageChannel();
  const watch = await openWatch();
  const messages = openInbox(worker, port, onWord);
  const start: WorkerStart = {
    ...files,
    setup,
    port: port2,
    keep: watch.far,
    isFork: from?.fork ?? false,
    interrupt: byte.buffer,
    backlog: room.buffer,
    saving: saving.buffer,
    ...(line && { network: line.port2 }),
    ...(checkpoint && { checkpoint }),
  };
  worker.postMessage(start, [
    ...[port2, watch.far, ...(line ? [line.port2] : [])],
    ...(checkpoint ? [checkpoint.body.buffer as ArrayBuffer] : []),
  ]);

  const send = (message: ToWorker, transfer: Transferable[] = []) =>
    port.postMessage(message, transfer);
  const first = await messages.next();
  if (first.type !== "ready") {
    worker.terminate();
    const reason = first.type === "broken" && first.reason;
    throw new Error(reason || "unexpected message");
  }
  let id = 0;
  /** A late one of the last run must not hit what comes next. */
  const forgetInterrupt = () => Atomics.store(byte, 0, 0);
  return {
    async run(
      { request, files = [], wantsFiles = false, isKept = false },
      onMessage,
    ) {
      // For as long as the run, with which all that it has asked for ends.
      using _network = line && serveNetwork?.(line.port1, {
        onWord,
        onTaken: (request) => giveRoom(room, sizeOf(request)),
      });
      id++;
      forgetInterrupt();
      // The network has dropped the requests that it had not taken by then.
      Atomics.store(room, 0, 0);
      const buffers = files.map(({ bytes }) => bytes.buffer);
      send({ type: "run", id, request, files, wantsFiles, isKept }, buffers);
      return await followRun(id, { messages, onMessage, room });
    },
    async save(take) {
      forgetInterrupt();
      wantSave(saving);
      send({ type: "save" });
      const limit = setTimeout(() => {
        if (giveUpSave(saving)) messages.push(COMPUTES);
      }, BEGIN_SAVE_MS);
      const end = await followSave({ messages, take, room });
      clearTimeout(limit);
      return end;
    },
    async keep() {
      send({ type: "keep" });
      await followRewind({ messages, room });
    },
    async rewind() {
      send({ type: "rewind" });
      const limit = setTimeout(() => messages.push(BUSY), REWIND_MS);
      const anew = await followRewind({ messages, room });
      clearTimeout(limit);
      return anew;
    },
    answer: (answer) => send(answer),
    interrupt() {
      Atomics.store(wantedRun, 0, id);
      Atomics.store(byte, 0, 2);
      send({ type: "interrupt", id });
    },
    interruptTasks() {
      Atomics.store(byte, 0, 2);
      send({ type: "stop" });
    },
    isDeaf: () => Atomics.load(byte, 0) !== 0,
    async end() {
      worker.terminate();
      line?.port1.close();
      return await watch.isGone();
    },
  };
}

/** A session that takes longer to rest computes; and others wait for its place. */
const BEGIN_SAVE_MS = 2000;
const COMPUTES: SaveEnd = {
  type: "unsaved",
  isBusy: true,
  reasons: [
    `it computes in the background: it did not rest within ${
      BEGIN_SAVE_MS / 1000
    } s`,
  ],
};

/** Much more than a rewind takes; code that computes keeps the worker from it. */
const REWIND_MS = 2000;
const BUSY: Rewound = {
  type: "rewound",
  anew: { cause: "pending", detail: "it computes in the background" },
};

/** Reads a checkpoint before a worker is started for it. */
function openCheckpoint(
  bytes: Uint8Array,
  files: InterpreterFiles,
  { variables }: RunSetup,
): Checkpoint {
  const checkpoint = parseCheckpoint(bytes, toExpected(files));
  const { body, ranges, secrets } = checkpoint;
  showSecrets(body, ranges, { secrets, variables });
  return checkpoint;
}

/** Without mounts, Python's worker may import linked JavaScript, and then nothing at all. */
function startPython({ mounts = [], glue }: InterpreterFiles): Worker {
  const program = mounts.length > 0
    ? "./worker/mounting_worker.ts"
    : "./worker/worker.ts";
  return startWorker(new URL(program, import.meta.url), {
    ...mountPlaces(mounts),
    glue: filesOf(glue),
  });
}

/** Much more than a try takes on a busy machine. */
const TRY_MS = 120_000;

/** Runs code in a fresh interpreter with these files, for an install. */
export async function tryCode(
  files: Omit<InterpreterFiles, "memoryBytes" | "fileLimits">,
  code: string,
): Promise<Ending> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Error(`It did not end within ${TRY_MS / 1000} s`));
  }, TRY_MS);
  try {
    const interpreter = await Promise.race([
      late.promise,
      startInterpreter({
        ...files,
        memoryBytes: MOST_BYTES,
        fileLimits: { bytes: MOST_BYTES, nodes: Infinity },
      }),
    ]);
    const request = { code, globals: "{}", timeoutMs: Infinity };
    try {
      // Packages may print on import.
      const run = interpreter.run({ request }, async () => {});
      return await Promise.race([late.promise, run]);
    } finally {
      await interpreter.end();
    }
  } finally {
    clearTimeout(timer);
  }
}
