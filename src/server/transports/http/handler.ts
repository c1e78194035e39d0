import type { HttpSettings } from "../../../protocol/server_settings.ts";
import type { Admission } from "./limits/admission.ts";
import type { Caller, Callers } from "./callers/callers.ts";
import { guardHosts } from "./hosts.ts";
import { refuseHttp } from "./refusals.ts";

export type Handler = (request: Request) => Promise<Response>;

export interface Routes {
  /** They need no caller; each gives undefined for the paths of others. */
  open: readonly ((request: Request) => MaybeLater<Response | undefined>)[];
  /** By path. */
  forCallers: readonly [
    path: string,
    answer: (request: Request, caller: Caller) => MaybeLater<Response>,
  ][];
}

type MaybeLater<T> = T | Promise<T>;

/** The order of the walls before the code of a path. */
export function toHandler(
  settings: Pick<HttpSettings, "allowedHosts" | "allowedOrigins" | "httpPath">,
  { callers, admission }: {
    admission: Pick<Admission, "refuseAtEnd" | "maybeRefuse">;
    callers: Pick<Callers, "identify">;
  },
  { open, forCallers }: Routes,
): Handler {
  const answers = new Map(forCallers);
  return guardHosts(settings, async (request) => {
    for (const answer of open) {
      const response = await answer(request);
      if (response) return response;
    }
    const atEnd = admission.refuseAtEnd();
    if (atEnd) return atEnd;
    const answer = answers.get(new URL(request.url).pathname);
    if (!answer) {
      return refuseHttp(
        404,
        `There is nothing at this path: MCP is at ${settings.httpPath}.`,
      );
    }
    const caller = await callers.identify(request);
    if (caller instanceof Response) return caller;
    return admission.maybeRefuse(request, caller.name) ??
      await answer(request, caller);
  });
}
