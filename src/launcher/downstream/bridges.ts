import { messageOf } from "../../errors.ts";
import { MOST_BRIDGES } from "../../protocol/bridge_messages.ts";
import type { ListedServer } from "../../protocol/downstream.ts";
import { encodeFrame } from "../../protocol/frames.ts";
import { type BridgeProcess, connectBridge } from "./bridge_process.ts";
import type { StartedBridge } from "./start_bridge.ts";

type ToServer = (line: Uint8Array<ArrayBuffer>) => Promise<boolean>;

/** The downstream servers, as the broker needs them. */
export interface Downstream {
  list(): ListedServer[];
  /** @throws {UserError} If there is no such server, or it cannot be started. */
  start(name: string): StartedBridge;
}

/** Bridges by their ids; as many that are about to end count, too. */
export class Bridges {
  #running = new Map<number, BridgeProcess>();

  constructor(
    private readonly downstream: Downstream | undefined,
    private readonly toServer: ToServer,
  ) {}

  /** Answers the server, which asks for the configured servers. */
  tell(id: number): void {
    const listed = this.downstream?.list() ?? [];
    void this.toServer(encodeFrame("configured", id, listed));
  }

  /** Starts the bridge of a server under a new id, or says why it cannot. */
  connect(id: number, name: unknown): void {
    if (this.#running.has(id)) return;
    try {
      if (this.#running.size >= 2 * MOST_BRIDGES) {
        throw new RangeError(
          `there are ${this.#running.size} bridges, which is all there may be`,
        );
      }
      if (!this.downstream) throw new Error("no servers are configured");
      const started = this.downstream.start(String(name));
      const bridge = connectBridge(id, started, this.toServer);
      this.#running.set(id, bridge);
      bridge.ended.then(() => this.#running.delete(id));
    } catch (error) {
      // The system may have no more processes to give, for now.
      void this.toServer(encodeFrame("ended", id, messageOf(error)));
    }
  }

  get(id: number): BridgeProcess | undefined {
    return this.#running.get(id);
  }

  /** Has all of them end; the result waits for it. */
  async close(): Promise<void> {
    const all = [...this.#running.values()];
    for (const bridge of all) bridge.kill();
    await Promise.all(all.map(({ ended }) => ended));
  }
}
