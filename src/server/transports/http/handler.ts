import { detailsOf } from "../../../errors.ts";
import type { Facts, Log } from "../../../protocol/log_lines.ts";
import type { HttpSettings } from "../../../protocol/server_settings.ts";
import { head } from "../../../results/cut.ts";
import { CALLERS_TO_COME, type Share, UNKNOWN } from "../../../shares.ts";
import type { Watch } from "../../watch.ts";
import type { Caller, Identify } from "./callers/callers.ts";
import { guardHosts } from "./hosts.ts";
import type { Admission } from "./limits/admission.ts";
import { exchangeOf } from "./listener/exchange.ts";
import type { RunLog } from "../../run_log.ts";
import { LONGEST_REASON } from "../../run_lines.ts";
import { RUN } from "../../error_codes.ts";
import { readRequestId, readTrace } from "../../trace_context.ts";
import { maybeRefused, refusalOf, refuseHttp } from "./refusals.ts";

export type Handler = (request: Request) => Promise<Response>;

/** Answers by path. */
export interface Routes {
  /** They need no caller, and are only read. */
  open: Readonly<Record<string, (request: Request) => Response>>;
  forCallers: Readonly<
    Record<
      string,
      (request: Request, caller: Caller) => Response | Promise<Response>
    >
  >;
}

/** The order of the walls before the code of a path. */
export function toHandler(
  settings: Pick<HttpSettings, "allowedHosts" | "allowedOrigins" | "httpPath">,
  { identify, admission }: {
    admission: Pick<Admission, "refuseAtEnd" | "maybeRefuse">;
    identify: Identify;
  },
  { open, forCallers }: Routes,
): Handler {
  return guardHosts(settings, async (request) => {
    const { pathname } = new URL(request.url);
    const answer = forCallers[pathname];
    const read = ["GET", "HEAD"].includes(request.method) && open[pathname];
    if (read && !answer) return read(request);
    const atEnd = admission.refuseAtEnd();
    if (atEnd) return atEnd;
    if (!answer) {
      return refuseHttp(
        404,
        `There is nothing at this path: MCP is at ${settings.httpPath}.`,
      );
    }
    const caller = await identify(request);
    if (caller instanceof Response) return caller;
    if (!exchangeOf(request).identify(caller)) {
      return refuseHttp(
        429,
        "Cannot take this connection as this client has half of all connections, and other clients ask for them: close some.",
        { "retry-after": "5", connection: "close" },
      );
    }
    return admission.maybeRefuse(request, caller.name) ??
      await answer(request, caller);
  });
}

/** Refusals that tell an operator of an attack, or of a wrong setting. */
const LOGGED = [401, 403, 404, 413, 429];
const WINDOW_MS = 10_000;

/**
 * Counts the requests of a handler, logs and audits those that it refuses, and tells
 * clients the id of their call where its answer is whole before its head goes out.
 */
export function observed(
  handler: Handler,
  { watch, log, audit, runs, lines }: {
    watch: Pick<Watch, "noteRequest" | "routes">;
    log: Pick<Log, "write">;
    audit: Pick<Log, "write">;
    runs: Pick<RunLog, "idOf" | "hasId">;
    /** Lines of refusals in a window of time. */
    lines: Share;
  },
): Handler {
  let windowEnd = 0;
  let unlogged = 0;
  return async (request) => {
    const response = await handler(request).catch(refuseFault);
    const { status } = response;
    const url = new URL(request.url);
    const route = watch.routes.includes(url.pathname) ? url.pathname : "other";
    watch.noteRequest(route, status);
    const refused = maybeRefused(response);
    const { reason = refused?.reason } = exchangeOf(request);
    const isTold = LOGGED.includes(status) &&
      // The SDK answers 404 for methods that a protocol does not have.
      (refused !== undefined || status !== 404);
    if (isTold || exchangeOf(request).reason !== undefined) {
      const option = refused?.option;
      const why = reason && head(reason, LONGEST_REASON);
      logRefusal(request, url, { status, reason: why, option });
    }
    return refused || runs.hasId(request)
      ? withId(response, runs.idOf(request))
      : response;
  };

  /** A fault of ours ends its request alone. */
  function refuseFault(error: unknown): Response {
    log.write("error", "server", { fault: detailsOf(error) });
    return refuseHttp(
      500,
      "The server has a fault, which its log tells: send the request again, or report it.",
    );
  }

  /** A flood of requests is not a flood of lines. */
  function logRefusal(request: Request, url: URL, why: Facts): void {
    const now = performance.now();
    if (now > windowEnd) {
      windowEnd = now + WINDOW_MS;
      for (const line of lines.items) lines.drop(line);
    }
    const { caller } = exchangeOf(request);
    // A line does not give way.
    if (caller === UNKNOWN) lines.ask(CALLERS_TO_COME);
    if (!lines.take({ caller, amount: 1 })) return void unlogged++;
    const facts = {
      id: runs.idOf(request),
      caller: caller === UNKNOWN ? undefined : caller,
      ...why,
      method: head(request.method, 20),
      path: head(url.pathname, 200),
      host: head(url.host, 200),
      origin: head(request.headers.get("origin") ?? "", 200),
      traceparent: readTrace(undefined, request.headers).traceparent,
      "request_id": readRequestId(request.headers),
      ...(unlogged > 0 ? { unlogged } : {}),
    };
    // Browsers and scanners ask for paths that there are not.
    log.write(why.status === 404 ? "info" : "warning", "refused", facts);
    audit.write("info", "refused", facts);
    unlogged = 0;
  }
}

/** A stream has begun before its call may have an end: its answer has the id inside. */
function withId(response: Response, id: string): Response {
  const { status, headers } = response;
  if (headers.get("content-type") !== "application/json") return response;
  headers.set("x-run-id", id);
  const refused = maybeRefused(response);
  if (!refused) return response;
  const data = { [RUN]: id };
  const told = refusalOf(refused.reason, refused.id, data);
  return Response.json(told, { status, headers });
}
