import type { Unready } from "../../../../protocol/server_status.ts";
import type { Watch } from "../../../watch.ts";
import type { Routes } from "../handler.ts";

/** The server's own reason may name packages or paths: probes need no token. */
const REASONS: Record<Unready["state"], string> = {
  installing: "Packages are being installed.",
  starting: "Python is starting.",
  failed:
    "Packages could not be installed, or Python cannot start: the log of the server has the reason.",
  ending: "The server ends.",
};

/** The probes of an orchestrator. */
export function probeRoutes(watch: Pick<Watch, "unready">): Routes["open"] {
  return {
    "/healthz": () => new Response("ok\n"),
    "/readyz"() {
      if (!watch.unready) return Response.json({ state: "ready" });
      const { state } = watch.unready;
      return Response.json({ state, reason: REASONS[state] }, { status: 503 });
    },
  };
}
