import type { AnyBody } from "./held_body.ts";
import { decodePacket, type Packet } from "./packets.ts";

/** The server's way to a process beyond the broker, or to the launcher itself. */
export interface Channel<Out, In> {
  /**
   * Sends a message, and maybe bytes behind it.
   *
   * @throws {RangeError} If it is longer than a line may be.
   */
  send(message: Out, body?: AnyBody): Promise<void>;
  /** The process's messages; its end comes last. */
  readonly messages: Pick<Queue<In | Ended>, "next">;
  /** Has the process stand still until the next message to it, where that can be. */
  pause?(): void;
  /**
   * Has the bytes of its messages stay where they arrive first, or come again: they can
   * be sent to another process. A process elsewhere may not do so.
   */
  hold?(isWanted: boolean): void;
  /** Has the process end, as those of its kind end. */
  kill(): void;
}

/** The end of a process, or of its start. */
export interface Ended {
  type: "ended";
  /** `code 1` or `SIGKILL`; a sentence if the process did not start. */
  reason: string;
  /** Undefined if the process did not start. */
  code?: number;
  signal?: string | null;
}

/** Reads a message of a process. It never throws. */
export type Parse<In> = (message: unknown, body?: AnyBody) => In;

/** A message that is not JSON. */
export const UNREADABLE = Symbol("unreadable");

/** Reads a packet by the parser of its channel, which gets {@linkcode UNREADABLE} of what is not JSON. */
export function parsePacket<In>(packet: Packet, parse: Parse<In>): In {
  let message: unknown;
  try {
    message = decodePacket(packet);
  } catch {
    message = UNREADABLE;
  }
  return parse(message, packet.body);
}

/** Reads without checks, the bytes as a field: of processes that are trusted. */
export function parseTrusted<In>(message: unknown, body?: AnyBody): In {
  const read = message === UNREADABLE ? {} : message as object;
  return (body ? { ...read, body } : read) as In;
}

/** Items in the order they came, for one reader that may wait for the next. */
export class Queue<T> {
  #items: T[] = [];
  #wake = () => {};

  push(item: T): void {
    this.#items.push(item);
    this.#wake();
  }

  /** Takes the oldest item, as soon as there is one. */
  async next(): Promise<T> {
    while (true) {
      const item = this.#items.shift();
      if (item !== undefined) return item;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }
}
