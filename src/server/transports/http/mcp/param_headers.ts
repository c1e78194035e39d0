import type { JSONRPCMessage } from "../../../../../deps/mcp_server.ts";
import { fields } from "../../../../protocol/fields.ts";
import { RUN_HEADER } from "../../../contracts/get_run.ts";
import { SESSION_HEADER } from "../../../contracts/session_tools.ts";
import { HEADER_MISMATCH } from "../../../error_codes.ts";
import type { Refusal } from "../../client_messages.ts";

/** Headers by the arguments that they repeat. */
const HEADERS = {
  session: `Mcp-Param-${SESSION_HEADER}`,
  run: `Mcp-Param-${RUN_HEADER}`,
};

/**
 * The refusal of a call whose header names another session or run than its argument:
 * a load balancer has chosen this server by the header (SEP-2243). A call without it
 * is served, though the SEP asks for a refusal: the official client for TypeScript
 * (2.4.0) fails if it has two such calls at a time, before it has a list of tools.
 */
export function maybeRefuseParam(
  message: JSONRPCMessage,
  headers: Headers,
): Refusal | undefined {
  if (!("method" in message && "id" in message)) return undefined;
  if (message.method !== "tools/call") return undefined;
  const given = fields(fields(message.params).arguments);
  const wrong = Object.entries(HEADERS).find(([argument, name]) => {
    const header = headers.get(name);
    const value = given[argument];
    return typeof value === "string" && header !== null &&
      maybeDecode(header) !== value;
  });
  if (!wrong) return undefined;
  const [argument, name] = wrong;
  return {
    jsonrpc: "2.0",
    id: message.id ?? null,
    error: {
      code: HEADER_MISMATCH,
      message:
        `The header ${name} has another value: it must repeat the argument ${argument}, as the schema of the tool says (x-mcp-header).`,
    },
  };
}

/** Clients encode what a header cannot hold as `=?base64?…?=`. */
function maybeDecode(header: string): string | undefined {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(header) ?? [];
  if (encoded === undefined) return header;
  try {
    const bytes = Uint8Array.fromBase64(encoded);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
