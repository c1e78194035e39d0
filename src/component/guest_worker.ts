import type { ScopePaths } from "../grants/permissions.ts";
import { startWorker, toOwnReads } from "../grants/start_worker.ts";
import {
  type FromWorker,
  parseFromWorker,
  type ToWorker,
  type WorkerStart,
} from "./worker_messages.ts";

type Done = FromWorker & { type: "done" };

/** A worker that has a component, and answers one call at a time. */
export class GuestWorker {
  #port: MessagePort;
  #worker: Worker;
  #waiting: PromiseWithResolvers<FromWorker> | undefined;
  #calls = 0;

  private constructor(worker: Worker, port: MessagePort) {
    this.#worker = worker;
    this.#port = port;
    port.onmessage = ({ data }) => {
      const message = parseFromWorker(data) ??
        { type: "broken" as const, reason: "it broke its protocol" };
      this.#waiting?.resolve(message);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      const reason = `its worker has failed: ${event.message}`;
      this.#waiting?.resolve({ type: "broken", reason });
    };
  }

  /**
   * Starts a worker with the permissions of a component's policy.
   *
   * @throws {Error} If the component cannot be instantiated; the message says why.
   */
  static async start(
    start: Omit<WorkerStart, "ownReads" | "ownWrites" | "hosts">,
    places: ScopePaths & { mounts: readonly string[] },
  ): Promise<GuestWorker> {
    const url = new URL("./worker/worker.ts", import.meta.url);
    const worker = startWorker(url, places, "componentWorker");
    const { port1, port2 } = new MessageChannel();
    const guest = new GuestWorker(worker, port1);
    const whole: WorkerStart = {
      ...start,
      ownReads: toOwnReads(places),
      // With denials, the worker has inherited what its process may write.
      ownWrites: places.deniedWrites?.length ? places.slot ?? [] : [],
      hosts: places.hosts ?? [],
    };
    const first = guest.#next();
    worker.postMessage({ start: whole, port: port2 }, [port2]);
    const said = await first;
    if (said.type === "ready") return guest;
    guest.end();
    throw new Error(said.type === "broken" ? said.reason : "it is not ready");
  }

  /** @throws {Error} If the worker is of no more use. */
  async call(order: Omit<ToWorker, "type" | "id">): Promise<Done> {
    const id = ++this.#calls;
    const next = this.#next();
    this.#port.postMessage({ ...order, type: "call", id } satisfies ToWorker);
    const said = await next;
    if (said.type === "done" && said.id === id) return said;
    throw new Error(
      said.type === "broken" ? said.reason : "it broke its protocol",
    );
  }

  /** A worker that computes goes on: its process must end then. */
  end(): void {
    this.#worker.terminate();
    this.#port.close();
  }

  #next(): Promise<FromWorker> {
    this.#waiting = Promise.withResolvers<FromWorker>();
    return this.#waiting.promise;
  }
}
