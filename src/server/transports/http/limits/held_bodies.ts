import type { Share } from "../../../../shares.ts";
import type { CallsUnderWay } from "../../../calls_under_way.ts";
import { OneAtATime } from "../../../one_at_a_time.ts";
import { exchangeOf } from "../listener/exchange.ts";

/** Bytes of a body that are not counted: small bodies find room beside large ones. */
const FREE_BYTES = 65_536;

/**
 * Counts a request's body until the request and its call have ended: a call's
 * arguments stay as long, and data can take several times the bytes of its text.
 *
 * @returns Takes the bytes that have come, and tells whether there is room.
 */
export function holdBody(
  request: Request,
  caller: string,
  share: Share,
  calls: Pick<CallsUnderWay, "after">,
): (bytes: number) => boolean {
  const body = { caller, amount: 0 };
  share.hold(body);
  void exchangeOf(request).ended.then(() =>
    calls.after(request, () => share.drop(body))
  );
  return (bytes) => share.resize(body, Math.max(0, bytes - FREE_BYTES));
}

/** A caller's pause after a reading, as a multiple of its time. */
const PAUSES = 2;

/**
 * Has the large messages of a caller read in sequence, with pauses for other
 * callers: reading a message takes all of the server for its time.
 */
export class ReadingTurns {
  #turns = new OneAtATime();

  constructor(
    private pause: (ms: number) => Promise<void> = (ms) =>
      new Promise((resolve) => setTimeout(resolve, ms)),
  ) {}

  async take<T>(caller: string, read: () => T): Promise<T> {
    const turn = await this.#turns.take(caller, NEVER);
    const started = performance.now();
    try {
      return read();
    } finally {
      const ms = PAUSES * (performance.now() - started);
      void this.pause(ms).then(() => turn[Symbol.dispose]());
    }
  }
}

const NEVER = new AbortController().signal;
