import type { HttpSettings } from "../../../../protocol/server_settings.ts";
import { MIB } from "../../../../units.ts";
import type { CallsUnderWay } from "../../../calls_under_way.ts";
import { knowsCallers } from "../callers/callers.ts";
import { exchangeOf } from "../listener/exchange.ts";

/** Bodies of the largest size that the server holds at a time. */
const MOST_LARGEST = 16;
/** Bytes of a body that are not counted: small bodies find room beside large ones. */
const FREE_BYTES = 65_536;

/**
 * Bounds the memory of bodies: a call's arguments stay until it has ended, and
 * data can take several times the bytes of its text.
 */
export class HeldBodies {
  #bytes = 0;
  #ofCaller = new Map<string, number>();
  #most: number;
  #mostOfCaller: number;

  constructor(
    private calls: Pick<CallsUnderWay, "after">,
    settings: Pick<HttpSettings, "maxBodyMiB" | "tokens" | "oauth">,
  ) {
    this.#most = MOST_LARGEST * settings.maxBodyMiB * MIB;
    this.#mostOfCaller = knowsCallers(settings) ? this.#most / 2 : this.#most;
  }

  /**
   * Counts a request's body until the request and its call have ended.
   *
   * @returns Takes the bytes that have come, and tells whether there is room.
   */
  open(request: Request, caller: string): (bytes: number) => boolean {
    let counted = 0;
    void exchangeOf(request).ended.then(() =>
      this.calls.after(request, () => this.#add(caller, -counted))
    );
    return (bytes) => {
      const more = Math.max(0, bytes - FREE_BYTES) - counted;
      counted += more;
      this.#add(caller, more);
      return more === 0 || this.#bytes <= this.#most &&
          (this.#ofCaller.get(caller) ?? 0) <= this.#mostOfCaller;
    };
  }

  #add(caller: string, bytes: number): void {
    this.#bytes += bytes;
    const its = (this.#ofCaller.get(caller) ?? 0) + bytes;
    if (its > 0) this.#ofCaller.set(caller, its);
    else this.#ofCaller.delete(caller);
  }
}

/** A caller's pause after a reading, as a multiple of its time. */
const PAUSES = 2;

/**
 * Has the large messages of a caller read in sequence, with pauses for other
 * callers: reading a message takes all of the server for its time.
 */
export class ReadingTurns {
  /** By caller, until its last reading and the pause after it are over. */
  #last = new Map<string, Promise<void>>();

  constructor(
    private pause: (ms: number) => Promise<void> = (ms) =>
      new Promise((resolve) => setTimeout(resolve, ms)),
  ) {}

  async take<T>(caller: string, read: () => T): Promise<T> {
    const before = this.#last.get(caller);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(caller, promise);
    await before;
    const started = performance.now();
    try {
      return read();
    } finally {
      const ms = PAUSES * (performance.now() - started);
      void this.pause(ms).then(() => {
        resolve();
        if (this.#last.get(caller) === promise) this.#last.delete(caller);
      });
    }
  }
}
