import type { HttpSettings } from "../../../protocol/server_settings.ts";
import { refuseHttp } from "./refusals.ts";

const THIS_MACHINE = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Refuses requests that a web page sends behind its user's back: to a name that
 * it made resolve to this machine, or from an origin that is not allowed.
 */
export function hostGuard(
  { host, allowedHosts, allowedOrigins }: Pick<
    HttpSettings,
    "host" | "allowedHosts" | "allowedOrigins"
  >,
): (request: Request) => Response | undefined {
  const own = host.includes(":") ? `[${host}]` : host;
  const hosts = new Set([...THIS_MACHINE, own, ...allowedHosts]);
  const origins = new Set(allowedOrigins);
  return (request) => {
    const url = new URL(request.url);
    if (!hosts.has(url.hostname)) {
      return refuseHttp(
        403,
        `Cannot serve the host "${url.hostname}": start the server with --allowed-host ${url.hostname} if clients may call it so.`,
      );
    }
    const origin = request.headers.get("origin");
    if (origin === null || origin === url.origin || origins.has(origin)) {
      return undefined;
    }
    return refuseHttp(
      403,
      `Cannot serve web pages of the origin "${
        origin.slice(0, 200)
      }": start the server with --allowed-origin if they may call it.`,
    );
  };
}
