import type { ServerContext } from "../../../deps/mcp_server.ts";
import { fields } from "../../protocol/fields.ts";
import type { Asking } from "./approvals.ts";

/** The longest time of a timer: the question's signal ends it before. */
const LONGEST_MS = 2 ** 31 - 1;

/** Whether a client, by its capabilities, can show a form to its user. */
export function canShowForms(capabilities: unknown): boolean {
  const { elicitation } = fields(capabilities);
  if (typeof elicitation !== "object" || elicitation === null) return false;
  // Clients of before there were kinds of questions name none.
  return "form" in elicitation || Object.keys(elicitation).length === 0;
}

/**
 * Asks a client of 2025, by a request of the server's own, one at a time: its
 * answer comes while the call goes on.
 */
export function askByRequest(mcpReq: ServerContext["mcpReq"]): Asking {
  return {
    atATime: 1,
    async ask(form, signal) {
      const request = { method: "elicitation/create", params: form } as const;
      const options = { signal, timeout: LONGEST_MS };
      try {
        return await mcpReq.send(request, options);
      } catch {
        signal.throwIfAborted();
        // The client has failed, or is gone: that is not a yes.
        return undefined;
      }
    },
  };
}
