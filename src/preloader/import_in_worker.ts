import { startWorker } from "../grants/start_worker.ts";
import { Queue } from "../protocol/queue.ts";
import type {
  FromPreloadWorker,
  Made,
  PreloadStart,
  Problem,
} from "../environments/preloader_messages.ts";

/** Time limit for importing a module. */
const PATIENCE_MS = 120_000;

/** The modules that cannot be imported; and a snapshot, or the obstacle to it. */
export type Imported = { failed: Problem[] } & ({ made: Made } | Obstacle);

/** The obstacle to a snapshot; `module` is undefined if its cause is not known. */
export interface Obstacle {
  module?: string | undefined;
  reason: string;
  /** Whether the import ended the interpreter. */
  isFatal: boolean;
}

export async function importInWorker(
  files: Omit<PreloadStart, "port" | "modules">,
  modules: string[],
): Promise<Imported> {
  const worker = startWorker(new URL("./worker.ts", import.meta.url));
  const { port1: port, port2 } = new MessageChannel();
  const messages = new Queue<FromPreloadWorker>();
  // Its answer is not trusted: a false answer spoils its own environment only.
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
    const reason = `It did not end within ${PATIENCE_MS / 1000} s.`;
    const giveUp = () => messages.push({ type: "broken", reason });
    const timer = setTimeout(giveUp, PATIENCE_MS);
    const message = await messages.next();
    clearTimeout(timer);
    switch (message.type) {
      case "importing":
        module = message.module;
        break;
      case "failed":
        failed.push({ module: message.module, reason: message.reason });
        break;
      case "unfit":
        return { failed, ...message, isFatal: false };
      case "made":
        return { failed, made: message };
      case "broken":
        return { failed, module, reason: message.reason, isFatal: true };
    }
  }
}
