import type { Probed, ProbeOrder } from "./probe.ts";

/** Workers that the product starts, in which the probe runs. */
export interface ProbingWorkers extends Disposable {
  /** Files whose code was to run in them, in the order of their starts. */
  addresses: string[];
  /** Has each of them try what it may do. */
  probe(order: ProbeOrder): Promise<Probed[]>;
  /** Ends them; to the product each looks broken. */
  end(): void;
}

/**
 * Has each worker that is started from now on run the probe in the place of its
 * own code, with the options that the product gives it.
 */
export function startProbingWorkers(): ProbingWorkers {
  const { Worker: RealWorker } = globalThis;
  const addresses: string[] = [];
  const workers: Worker[] = [];
  globalThis.Worker = class extends RealWorker {
    constructor(address: string | URL, options?: WorkerOptions) {
      super(new URL("./probe.ts", import.meta.url), options);
      addresses.push(String(address));
      workers.push(this);
    }
  };
  return {
    addresses,
    probe: (order) => Promise.all(workers.map((worker) => ask(worker, order))),
    end() {
      const event = { message: "the probe has ended", cancelable: true };
      for (const worker of workers) {
        worker.dispatchEvent(new ErrorEvent("error", event));
        worker.terminate();
      }
    },
    [Symbol.dispose]() {
      globalThis.Worker = RealWorker;
    },
  };
}

function ask(worker: Worker, order: ProbeOrder): Promise<Probed> {
  return new Promise((resolve) => {
    worker.addEventListener("message", ({ data }) => resolve(data));
    worker.postMessage({ probe: order });
  });
}
