import type { HttpSettings } from "../../../protocol/server_settings.ts";
import type { Callers } from "./callers.ts";
import type { McpEndpoint } from "./endpoint.ts";
import { hostGuard } from "./hosts.ts";
import { openPage } from "./page.ts";
import { refuseHttp } from "./refusals.ts";

export type Handler = (request: Request) => Promise<Response>;

/** The order of the walls before MCP. */
export function toHandler(
  settings: HttpSettings,
  { callers, endpoint }: {
    callers: Pick<Callers, "identify">;
    endpoint: Pick<McpEndpoint, "answer">;
  },
): Handler {
  const guardHost = hostGuard(settings);
  const answerPage = openPage(settings);
  return async (request) => {
    const refusal = guardHost(request);
    if (refusal) return refusal;
    const ofPage = await answerPage(request);
    if (ofPage) return ofPage;
    const { pathname } = new URL(request.url);
    if (pathname !== settings.path) {
      return refuseHttp(
        404,
        `There is nothing at this path: MCP is at ${settings.path}.`,
      );
    }
    const caller = await callers.identify(request);
    if (caller instanceof Response) return caller;
    return await endpoint.answer(request, caller);
  };
}
