import { fileURLToPath } from "node:url";
import { Peer } from "../peer.ts";

const CLIENT = fileURLToPath(import.meta.resolve("./client.ts"));

/** What clients call, and where. */
export interface Calling {
  url: string;
  era: "2025-11-25" | "2026-07-28";
  clients: number;
  /** `raw` is a no-op by a client that is no more than `fetch`. */
  kind: "noop" | "raw" | "fresh" | "session";
}

/** Clients in processes of their own, so that their CPU time is not the server's. */
export class Clients implements AsyncDisposable {
  #processes: Peer[];

  /** Starts as many processes as there are cores, if there are so many clients. */
  constructor({ clients, ...calling }: Calling) {
    const count = Math.min(clients, navigator.hardwareConcurrency);
    this.#processes = Array.from({ length: count }, (_, at) => {
      const share = Math.ceil((clients - at) / count);
      return new Peer([
        "-A",
        CLIENT,
        JSON.stringify({ ...calling, clients: share }),
      ]);
    });
  }

  /** Has all call for so long; gives the times of the calls. */
  async call(durationMs: number): Promise<number[]> {
    const all = await Promise.all(this.#processes.map(async (one) => {
      await one.send(String(durationMs));
      const times: number[] = JSON.parse(await one.receive());
      return times;
    }));
    return all.flat();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of this.#processes) await one[Symbol.asyncDispose]();
  }
}
