import { startWorker } from "../grants/start_worker.ts";
import { Queue } from "../protocol/queue.ts";
import type {
  FromPreloadWorker,
  Made,
  PreloadStart,
  Problem,
} from "../environments/preloader_messages.ts";

/** Time in which a module must have been imported. */
const PATIENCE_MS = 120_000;

/** What came of importing modules: a snapshot, or what stands in its way. */
export type Imported =
  & {
    /** What cannot be imported. */
    failed: Problem[];
  }
  & ({ made: Made } | Obstacle);

/** What is in the way of a snapshot; without a module, nobody knows whose it is. */
export interface Obstacle {
  module?: string;
  reason: string;
  /** Whether the interpreter did not survive it. */
  isFatal: boolean;
}

/** Imports modules in a worker without permissions. */
export async function importInWorker(
  files: Omit<PreloadStart, "port" | "modules">,
  modules: string[],
): Promise<Imported> {
  const worker = startWorker(new URL("./worker.ts", import.meta.url));
  const { port1: port, port2 } = new MessageChannel();
  const messages = new Queue<FromPreloadWorker>();
  // Nobody is hurt by what it says: it can only spoil its own environment.
  port.onmessage = ({ data }) => messages.push(data);
  worker.onerror = (event) => {
    event.preventDefault();
    messages.push({ type: "broken", reason: event.message });
  };
  const start: PreloadStart = { ...files, port: port2, modules };
  worker.postMessage(start, [port2]);
  try {
    return await follow(messages);
  } finally {
    port.close();
    worker.terminate();
  }
}

async function follow(messages: Queue<FromPreloadWorker>): Promise<Imported> {
  const failed: Problem[] = [];
  let module: string | undefined;
  while (true) {
    const late: FromPreloadWorker = {
      type: "broken",
      reason: `It did not end within ${PATIENCE_MS / 1000} s.`,
    };
    const timer = setTimeout(() => messages.push(late), PATIENCE_MS);
    const message = await messages.next();
    clearTimeout(timer);
    switch (message.type) {
      case "importing":
        module = message.module;
        break;
      case "failed":
        failed.push({ module: message.module, reason: message.reason });
        break;
      case "unfit": {
        const { module, reason } = message;
        return { failed, module, reason, isFatal: false };
      }
      case "made":
        return { failed, made: message };
      case "broken": {
        const { reason } = message;
        return {
          ...{ failed, reason, isFatal: true },
          ...(module === undefined ? {} : { module }),
        };
      }
    }
  }
}
