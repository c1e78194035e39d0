import type { JSONRPCMessage } from "../../../../../deps/mcp_server.ts";
import type { PoolSizes } from "../../../../protocol/server_settings.ts";
import type { CallsUnderWay } from "../../../calls_under_way.ts";
import { describeFull } from "../../../pool/pool.ts";
import { type Caller, toOwner } from "../callers/callers.ts";
import { exchangeOf } from "../listener/exchange.ts";
import { refuseHttp } from "../refusals.ts";

/**
 * Refuses calls of tools that would find no place. A result could not say so by
 * its status: the answer begins before it.
 */
export class CallPlaces {
  #most: number;
  #mostOfCaller: number;

  constructor(
    private calls: Pick<CallsUnderWay, "size" | "countOf" | "announce">,
    private options: {
      sizes: PoolSizes;
      knowsCallers: boolean;
      /** Seconds until there may be a place. */
      retrySeconds(): number;
    },
  ) {
    const { sizes, knowsCallers } = options;
    this.#most = sizes.running + sizes.waiting;
    this.#mostOfCaller = knowsCallers ? Math.ceil(this.#most / 2) : this.#most;
  }

  /** Keeps a place for the call of a request; gives the answer if there is none. */
  maybeRefuse(
    message: JSONRPCMessage,
    request: Request,
    caller: Caller,
  ): Response | undefined {
    const isCall = "method" in message && message.method === "tools/call";
    if (!isCall || !("id" in message)) return undefined;
    const refuse = (why: string) =>
      refuseHttp(429, why, { "retry-after": `${seconds}` }, message.id);
    const seconds = this.options.retrySeconds();
    if (this.calls.size >= this.#most) {
      return refuse(describeFull(this.options.sizes, seconds));
    }
    if (this.calls.countOf(caller.name) < this.#mostOfCaller) {
      const session = request.headers.get("mcp-session-id") ?? undefined;
      const { ended } = exchangeOf(request);
      this.calls.announce(toOwner(caller, session), request, ended);
      return undefined;
    }
    return refuse(
      `Cannot run this now as ${this.#mostOfCaller} calls of this client run or wait, which is all that it may have. Try again in about ${seconds} s. The user can allow more with --max-concurrency.`,
    );
  }
}
