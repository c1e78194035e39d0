import type { HttpSettings } from "../../../../protocol/server_settings.ts";
import type { Share } from "../../../../shares.ts";
import { exchangeOf } from "../listener/exchange.ts";
import { refusedBy, refuseHttp } from "../refusals.ts";

/** Callers whose use is known; those that were idle longest are forgotten. */
const MOST_CALLERS = 10_000;

interface Use {
  /** Requests that the caller may send at once, as of a time. */
  allowance: number;
  since: number;
}

/** Admits requests of callers, within their limits and until the server ends. */
export class Admission {
  /** Whether the server takes no new requests, as it is about to end. */
  isEnding = false;
  /** By name; the caller that was idle longest comes first. */
  #uses = new Map<string, Use>();
  #underWay = new Set<Promise<void>>();

  constructor(
    private settings: Pick<HttpSettings, "maxClientRate">,
    private share: Share,
    private now: () => number = () => performance.now(),
  ) {}

  /** The answer to a request at the server's end. */
  refuseAtEnd(): Response | undefined {
    if (!this.isEnding) return undefined;
    return refuseHttp(
      503,
      "The server is about to end: send the request again once it is back.",
      { "retry-after": "5", connection: "close" },
    );
  }

  /** Counts a request of a caller; gives the answer to one that is too many. */
  maybeRefuse(request: Request, caller: string): Response | undefined {
    const { maxClientRate } = this.settings;
    const use = this.#useOf(caller);
    if (use.allowance < 1) {
      return refusedBy(
        "--max-client-rate",
        refuseSoon(
          `Cannot take more than ${maxClientRate} requests a second from a client (--max-client-rate): send fewer.`,
        ),
      );
    }
    use.allowance--;
    const exchange = exchangeOf(request);
    // Streams that clients listen to are bounded as connections.
    exchange.isListening = request.method === "GET";
    if (exchange.isListening) return undefined;
    const waiting = {
      caller,
      amount: 1,
      rest: (asking?: string) =>
        exchange.answerSoon && asking !== caller
          ? "listening"
          : exchange.rest(asking),
      giveWay: () =>
        exchange.answerSoon ? exchange.answerSoon() : exchange.giveWay(),
    };
    if (!this.share.take(waiting)) {
      return refuseSoon(
        "Cannot take this request as requests of this client that wait for their answers are as many as there may be: wait for an answer first.",
      );
    }
    const ended = exchange.ended.then(() => {
      this.share.drop(waiting);
      this.#underWay.delete(ended);
    });
    this.#underWay.add(ended);
  }

  /** Resolves once the requests under way have been answered. */
  async answered(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  #useOf(caller: string): Use {
    const { maxClientRate } = this.settings;
    const now = this.now();
    const use = this.#uses.get(caller) ??
      { allowance: maxClientRate, since: now };
    const grown = use.allowance + (now - use.since) / 1000 * maxClientRate;
    use.allowance = Math.min(maxClientRate, grown);
    use.since = now;
    this.#uses.delete(caller);
    this.#uses.set(caller, use);
    const [oldest] = this.#uses.keys();
    if (this.#uses.size > MOST_CALLERS && oldest !== undefined) {
      this.#uses.delete(oldest);
    }
    return use;
  }
}

function refuseSoon(message: string): Response {
  return refuseHttp(429, message, { "retry-after": "1" });
}
