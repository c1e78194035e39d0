import type { Transport } from "../../deps/mcp_client_core.ts";

/** The way to a downstream server: its process, or its host. */
export interface Link {
  transport: Transport;
  /** Some servers of 2025 end, or say nothing, if they are asked for 2026 first. */
  isOlderFirst: boolean;
  /** Resolves once the way is closed, with the reason. */
  ended: Promise<string>;
  /** Its last words beside the protocol, which may hold secrets. */
  lastWords(): string;
  /** The cause of a failure; `reason` is that of the client. */
  causeOf(reason: string): Promise<string>;
  close(): Promise<void>;
}

/** Bytes of a message that is read whole: as JSON, a character takes six at most. */
export function longestMessage(maxResult: number): number {
  return 6 * maxResult + 65_536;
}
