import type { Transport } from "../../deps/mcp_client_core.ts";
import { MIB } from "../units.ts";

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

const MOST_BYTES = 64 * MIB;
const MOST_MESSAGES = 100_000;

/** Counts a downstream server's messages since its last answer. */
export class Flood {
  #bytes = 0;
  #messages = 0;

  /** Whether it is more than a server may send. */
  take(bytes: number, messages = 0): boolean {
    this.#bytes += bytes;
    this.#messages += messages;
    return this.#bytes > MOST_BYTES || this.#messages > MOST_MESSAGES;
  }

  /** Notes that a request was answered. */
  calm(): void {
    this.#bytes = 0;
    this.#messages = 0;
  }
}

export const FLOODED = `it sent more than ${
  MOST_BYTES / MIB
} MiB, or ${MOST_MESSAGES} messages, that answer nothing`;

/** Answers to requests of a downstream server that it has not taken. */
export const MOST_UNREAD = 1000;
export const UNREAD =
  `it asked more than ${MOST_UNREAD} times without reading an answer`;
