import type { Log } from "../../../protocol/log_lines.ts";
import { detailsOf } from "../../../errors.ts";
import { head } from "../../../results/cut.ts";
import type { Watch } from "../../watch.ts";
import type { Handler } from "./handler.ts";
import { refuseHttp } from "./refusals.ts";

/** Refusals that tell an operator of an attack, or of a wrong setting. */
const LOGGED = [401, 403, 429];
/** Lines of refusals in a window of time. */
const MOST_LINES = 10;
const WINDOW_MS = 10_000;

/** Counts the requests of a handler, and logs those that it refuses. */
export function observed(
  handler: Handler,
  { watch, log, routes }: {
    watch: Pick<Watch, "noteRequest">;
    log: Pick<Log, "write">;
    /** Paths that are counted by their names; all others are one. */
    routes: readonly string[];
  },
): Handler {
  let windowEnd = 0;
  let lines = 0;
  let unlogged = 0;
  return async (request) => {
    const response = await handler(request).catch(refuseFault);
    const { status } = response;
    const url = new URL(request.url);
    const route = routes.includes(url.pathname) ? url.pathname : "other";
    watch.noteRequest(route, status);
    if (LOGGED.includes(status)) logRefusal(request, url, status);
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
  function logRefusal(request: Request, url: URL, status: number): void {
    const now = performance.now();
    if (now > windowEnd) {
      windowEnd = now + WINDOW_MS;
      lines = 0;
    }
    if (++lines > MOST_LINES) return void unlogged++;
    log.write("warning", "refused", {
      ...{ status, method: head(request.method, 20) },
      path: head(url.pathname, 200),
      host: head(url.host, 200),
      origin: head(request.headers.get("origin") ?? "", 200),
      ...(unlogged > 0 ? { unlogged } : {}),
    });
    unlogged = 0;
  }
}
