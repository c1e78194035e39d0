import { MIB } from "../units.ts";

const MOST_BYTES = 64 * MIB;
const MOST_MESSAGES = 100_000;

/** Counts what a downstream server sends without an answer among it. */
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
