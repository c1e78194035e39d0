import { HeldBody, markHeld } from "../protocol/held_body.ts";
import type { Packet } from "../protocol/packets.ts";

/** Pieces of a checkpoint on their way to the server, and from it to a keeper. */
const MOST_HELD = 16;

/**
 * The bodies of a process's packets that stay with the broker until the server passes
 * each on to another process.
 */
export class Holding {
  #isOn = false;
  #stopped = Promise.withResolvers<void>();
  #count = 0;
  #bodies = new Map<number, Uint8Array<ArrayBuffer>>();

  constructor(private channel: number) {
    this.#stopped.resolve();
  }

  /** Resolves once bodies pass. */
  get stopped(): Promise<void> {
    return this.#stopped.promise;
  }

  /** Holds the bodies that come from now on; those before are not wanted any more. */
  start(): void {
    if (!this.#isOn) this.#stopped = Promise.withResolvers();
    this.#isOn = true;
    this.#bodies.clear();
  }

  /** Lets bodies pass; those that are held can be taken still. */
  stop(): void {
    this.#isOn = false;
    this.#stopped.resolve();
  }

  /**
   * Gives the packet that the server gets in the place of one with a body; undefined
   * if bodies pass.
   *
   * @throws {RangeError} If there are too many.
   */
  maybeHold({ line, body }: Packet): Packet | undefined {
    if (!this.#isOn || !body) return undefined;
    if (this.#bodies.size >= MOST_HELD) {
      throw new RangeError(`Cannot hold more than ${MOST_HELD} bodies`);
    }
    const number = ++this.#count;
    this.#bodies.set(number, body);
    const held = new HeldBody(this.channel, number, body.length);
    return { line: markHeld(held, line.subarray(line.indexOf(SPACE) + 1)) };
  }

  /** Undefined if it is gone. */
  take(number: number): Uint8Array<ArrayBuffer> | undefined {
    const body = this.#bodies.get(number);
    this.#bodies.delete(number);
    return body;
  }
}

const SPACE = 32;
