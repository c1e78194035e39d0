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
import { refuseHttp } from "./refusals.ts";

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
const LOGGED = [401, 403, 429];
const WINDOW_MS = 10_000;

/** Counts the requests of a handler, and logs those that it refuses. */
export function observed(
  handler: Handler,
  { watch, log, lines }: {
    watch: Pick<Watch, "noteRequest" | "routes">;
    log: Pick<Log, "write">;
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
    const { reason } = exchangeOf(request);
    if (reason !== undefined || LOGGED.includes(status)) {
      logRefusal(request, url, { status, reason });
    }
    return response;
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
    log.write("warning", "refused", {
      ...why,
      method: head(request.method, 20),
      path: head(url.pathname, 200),
      host: head(url.host, 200),
      origin: head(request.headers.get("origin") ?? "", 200),
      ...(unlogged > 0 ? { unlogged } : {}),
    });
    unlogged = 0;
  }
}
