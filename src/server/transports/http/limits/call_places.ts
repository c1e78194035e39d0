import type { JSONRPCMessage } from "../../../../../deps/mcp_server.ts";
import type { PoolSizes } from "../../../../protocol/server_settings.ts";
import type { Item, Share } from "../../../../shares.ts";
import type { CallsUnderWay, CallUnderWay } from "../../../calls_under_way.ts";
import { GET_RUN } from "../../../../protocol/long_runs.ts";
import { describeFull } from "../../../pool/pool.ts";
import { isSessionUri } from "../../../sessions/session_resource.ts";
import { type Caller, toOwner } from "../callers/callers.ts";
import { exchangeOf } from "../listener/exchange.ts";
import { refusedBy, refuseHttp } from "../refusals.ts";

/**
 * Refuses calls of tools, and reads of sessions, that would find no place. A result
 * could not say so by its status: the answer begins before it.
 */
export class CallPlaces {
  constructor(
    private share: Share,
    private calls: Pick<CallsUnderWay, "announce" | "after">,
    private options: {
      sizes: PoolSizes;
      /** Seconds until there may be a place. */
      retrySeconds(): number;
    },
  ) {}

  /** Keeps a place for the call of a request; gives the answer if there is none. */
  maybeRefuse(
    message: JSONRPCMessage,
    request: Request,
    caller: Caller,
  ): Response | undefined {
    if (!isCall(message)) return undefined;
    let call: CallUnderWay | undefined;
    const place: Item = {
      caller: caller.name,
      amount: 1,
      rest: (asking) =>
        call?.isWaiting && asking !== caller.name ? "idle" : "used",
      giveWay: () => call?.leave(leftPlace(this.options.retrySeconds())),
    };
    if (this.share.take(place)) {
      const session = request.headers.get("mcp-session-id") ?? undefined;
      const { ended } = exchangeOf(request);
      call = this.calls.announce(toOwner(caller, session), request, ended);
      this.calls.after(request, () => this.share.drop(place));
      return undefined;
    }
    const seconds = this.options.retrySeconds();
    const { used, total } = this.share.status;
    const why = used < total
      ? `Cannot run this now as calls of this client have half of all places, and other clients ask for places. Try again in about ${seconds} s. The user can allow more with --max-concurrency.`
      : describeFull(this.options.sizes, seconds);
    const headers = { "retry-after": `${seconds}` };
    return refusedBy(
      "--max-concurrency",
      refuseHttp(429, why, headers, message.id),
    );
  }
}

function leftPlace(seconds: number): string {
  return `Cannot run this now: calls of this client had more than half of all places, and another client asked for one, so that this call, which waited, left its place. Try again in about ${seconds} s. The user can allow more with --max-concurrency.`;
}

function isCall(
  message: JSONRPCMessage,
): message is JSONRPCMessage & { id: string | number } {
  if (!("method" in message && "id" in message)) return false;
  const { method, params } = message;
  // What waits for a run needs no place beside that of the run.
  return method === "tools/call" && params?.name !== GET_RUN ||
    method === "resources/read" && isSessionUri(String(params?.uri));
}
