import { AsyncLocalStorage } from "node:async_hooks";
import type {
  ServerEvent,
  ServerEventBus,
} from "../../../../../deps/mcp_server.ts";

type Listener = (event: ServerEvent) => void;

/** Changes that 2026 clients hear of: those of its own resources, an owner only. */
export class OwnerEvents implements ServerEventBus {
  #owners = new Map<Listener, string | undefined>();
  /** The SDK does not say whose request a listener is for. */
  #current = new AsyncLocalStorage<string>();

  /** Serves a request of an owner; what subscribes meanwhile is for that owner. */
  serve<T>(owner: string, request: () => T): T {
    return this.#current.run(owner, request);
  }

  subscribe(listener: Listener): () => void {
    this.#owners.set(listener, this.#current.getStore());
    return () => this.#owners.delete(listener);
  }

  /** @param owner Undefined if all owners hear of it. */
  publish(event: ServerEvent, owner?: string): void {
    for (const [listener, its] of this.#owners) {
      if (owner === undefined || its === owner) listener(event);
    }
  }
}
