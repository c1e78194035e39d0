import type { HttpSettings } from "../../../protocol/server_settings.ts";
import type { Admission } from "./admission.ts";
import type { Callers } from "./callers.ts";
import type { McpEndpoint } from "./endpoint.ts";
import { guardHosts } from "./hosts.ts";
import { refuseHttp } from "./refusals.ts";
import { metadataTeller } from "./resource_metadata.ts";

export type Handler = (request: Request) => Promise<Response>;

/** The order of the walls before MCP. */
export function toHandler(
  settings: HttpSettings,
  { callers, endpoint, admission }: {
    admission: Pick<Admission, "refuseAtEnd" | "maybeRefuse">;
    callers: Pick<Callers, "identify">;
    endpoint: Pick<McpEndpoint, "answer">;
  },
): Handler {
  const maybeMetadata = metadataTeller(settings);
  return guardHosts(settings, async (request) => {
    const refusal = admission.refuseAtEnd() ?? maybeMetadata(request);
    if (refusal) return refusal;
    const { pathname } = new URL(request.url);
    if (pathname !== settings.path) {
      return refuseHttp(
        404,
        `There is nothing at this path: MCP is at ${settings.path}.`,
      );
    }
    const caller = await callers.identify(request);
    if (caller instanceof Response) return caller;
    return admission.maybeRefuse(request, caller.name) ??
      await endpoint.answer(request, caller);
  });
}
