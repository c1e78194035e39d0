import type { HttpSettings } from "../../../protocol/server_settings.ts";
import { refusedBy, refuseHttp } from "./refusals.ts";

const THIS_MACHINE = ["localhost", "127.0.0.1", "[::1]"];

/** The headers that pages of allowed origins may send, and may read of answers. */
const PREFLIGHT = {
  "access-control-allow-methods": "GET, POST, DELETE",
  "access-control-allow-headers":
    "accept, authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-param-run, mcp-param-session, mcp-protocol-version, mcp-session-id, traceparent, tracestate, x-request-id",
  "access-control-max-age": "600",
};
const READABLE =
  "mcp-session-id, mcp-protocol-version, retry-after, www-authenticate, x-run-id";

/**
 * Refuses requests that a web page sends behind its user's back: to a name that
 * it made resolve to this machine, or from an origin that is not allowed. Pages
 * of allowed origins get the headers of CORS.
 */
export function guardHosts(
  settings: Pick<HttpSettings, "allowedHosts" | "allowedOrigins">,
  handler: (request: Request) => Promise<Response>,
): typeof handler {
  const hosts = new Set([...THIS_MACHINE, ...settings.allowedHosts]);
  const origins = new Set(settings.allowedOrigins);
  return async (request) => {
    const { hostname, origin: own } = new URL(request.url);
    if (!hosts.has(hostname)) {
      return refusedBy(
        "--allowed-host",
        refuseHttp(
          403,
          `Cannot serve the host "${hostname}": start the server with --allowed-host ${hostname} if clients may call it so.`,
        ),
      );
    }
    const origin = request.headers.get("origin");
    if (origin === null) {
      return isOfOtherPage(request)
        ? refusedBy(
          "--allowed-origin",
          refuseHttp(403, "Cannot serve requests of other web pages."),
        )
        : await handler(request);
    }
    // Before a server without TLS, a proxy may have it.
    if (origin === own || origin === own.replace(/^http:/, "https:")) {
      return await handler(request);
    }
    if (!origins.has(origin)) {
      const shown = origin.slice(0, 200);
      return refusedBy(
        "--allowed-origin",
        refuseHttp(
          403,
          `Cannot serve web pages of the origin "${shown}": start the server with --allowed-origin if they may call it.`,
        ),
      );
    }
    const { method, headers } = request;
    const isPreflight = method === "OPTIONS" &&
      headers.has("access-control-request-method");
    const response = isPreflight
      ? new Response(null, { status: 204, headers: PREFLIGHT })
      : await handler(request);
    response.headers.set("access-control-allow-origin", origin);
    response.headers.set("access-control-expose-headers", READABLE);
    response.headers.append("vary", "origin");
    return response;
  };
}

/**
 * Whether another page has a browser send it: for a picture or a script, say,
 * where browsers name no origin. Links to this server may be followed.
 */
function isOfOtherPage({ method, headers }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  const isLink = method === "GET" &&
    headers.get("sec-fetch-mode") === "navigate" &&
    headers.get("sec-fetch-dest") === "document";
  return (site === "cross-site" || site === "same-site") && !isLink;
}
