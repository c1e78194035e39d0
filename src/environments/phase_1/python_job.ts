import { startWorker } from "../../grants/start_worker.ts";
import { filesOf } from "../../engines/pyodide/stored_files.ts";
import { runnerFor } from "../../engines/pyodide/runner/modules.ts";
import { MOST_BYTES } from "../../engines/pyodide/worker/memory.ts";
import {
  type Fetched,
  type FetchedWheel,
  type InstallCall,
  type InstallEvent,
  parseFromInstallWorker,
  parseResult,
  type ResultOf,
  type WheelAddress,
  type WorkerSetup,
} from "./messages.ts";

/** What a worker may ask for. */
export interface Services {
  fetch(
    url: string,
    headers: Record<string, string>,
    most?: number,
  ): Promise<Fetched>;
  wheel(wheel: WheelAddress): Promise<FetchedWheel>;
  say(event: InstallEvent): void;
}

/** Python in a worker without permissions, for phase 1. */
export interface PythonJob extends Disposable {
  /**
   * Makes a call, one at a time.
   *
   * @throws {UserError} If the worker refuses it.
   * @throws {Error} If the interpreter breaks, or the result is not one of the call.
   */
  call<Call extends InstallCall["call"]>(
    message: InstallCall & { call: Call },
  ): Promise<ResultOf<Call>>;
}

export type PythonJobFiles = Omit<WorkerSetup, "port" | "memoryBytes">;

/** This program's own modules, which every environment's snapshot holds. */
export function runnerModules(
  lockFile: string,
): Required<Pick<WorkerSetup, "package" | "own">> {
  const modules = runnerFor(lockFile);
  const own = { wheels: [], modules, imports: ["runner"], hasStdlib: true };
  return { package: "mcp_runner", own };
}

const NOTHING: Services = { fetch: refuse, wheel: refuse, say: refuse };

function refuse(): never {
  throw new TypeError("This worker may ask for nothing");
}

export function openPythonJob(
  files: PythonJobFiles,
  services: Services = NOTHING,
): PythonJob {
  const worker = startWorker(new URL("./worker.ts", import.meta.url), {
    glue: filesOf(files.glue),
  });
  const { port1: port, port2 } = new MessageChannel();
  let answer = Promise.withResolvers<unknown>();
  const broken = Promise.withResolvers<never>();
  // The worker may break between two calls: the next call throws then.
  broken.promise.catch(() => {});
  worker.onerror = (event) => {
    event.preventDefault();
    broken.reject(new Error(event.message));
  };
  port.onmessage = ({ data }) => {
    obey(data).catch(broken.reject);
  };
  const memoryBytes = MOST_BYTES;
  const setup: WorkerSetup = { ...files, memoryBytes, port: port2 };
  worker.postMessage(setup, [port2]);
  return {
    async call(message) {
      answer = Promise.withResolvers();
      port.postMessage(message);
      const value = await Promise.race([broken.promise, answer.promise]);
      return parseResult(message.call, value);
    },
    [Symbol.dispose]() {
      port.close();
      worker.terminate();
    },
  };

  async function obey(data: unknown): Promise<void> {
    const message = parseFromInstallWorker(data);
    switch (message.type) {
      case "fetch": {
        const { id, url, headers, most } = message;
        return reply(id, await services.fetch(url, headers, most));
      }
      case "wheel":
        return reply(message.id, await services.wheel(message.wheel));
      case "say":
        return services.say(message.event);
      case "result":
        return answer.resolve(message.value);
      case "broken":
        throw new Error(message.reason);
    }
  }

  function reply(id: number, answer: Fetched | FetchedWheel): void {
    port.postMessage({ call: "answer", id, answer });
  }
}
