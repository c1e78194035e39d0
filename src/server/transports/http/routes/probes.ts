import type { Unready } from "../../../../protocol/server_status.ts";
import type { Watch } from "../../../watch.ts";

/** The server's own reason may name packages or paths: probes need no token. */
const REASONS: Record<Unready["state"], string> = {
  installing: "Packages are being installed.",
  starting: "Python is starting.",
  failed:
    "Packages could not be installed, or Python cannot start: the log of the server has the reason.",
  ending: "The server ends.",
};

/** Answers the probes of an orchestrator; undefined for other paths. */
export function maybeProbe(
  request: Request,
  { unready }: Pick<Watch, "unready">,
): Response | undefined {
  const { pathname } = new URL(request.url);
  if (pathname === "/healthz") return new Response("ok\n");
  if (pathname !== "/readyz") return undefined;
  if (!unready) return Response.json({ state: "ready" });
  const { state } = unready;
  return Response.json({ state, reason: REASONS[state] }, { status: 503 });
}
