import {
  type JSONRPCMessage,
  WebStandardStreamableHTTPServerTransport,
} from "../../../../../deps/mcp_server.ts";
import { INVALID_REQUEST } from "../../../error_codes.ts";
import { maybeCancelled, refuse, TWICE } from "../../client_messages.ts";
import { REFUSED } from "../refusals.ts";

type Send = WebStandardStreamableHTTPServerTransport["send"];

/** The SDK's transport of a 2025 session, which answers each request once. */
export class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  /** Ids of the requests that are not answered yet. */
  #open = new Set<string | number>();

  override async handleRequest(
    request: Request,
    options: { parsedBody?: JSONRPCMessage } = {},
  ): Promise<Response> {
    const { parsedBody: message } = options;
    const id = maybeRequestId(message);
    // The SDK would send the answer of the first request to the second.
    if (id !== undefined && this.#open.has(id)) {
      const { refusal } = refuse(id, INVALID_REQUEST, TWICE);
      return Response.json(refusal, { status: 400 });
    }
    if (id !== undefined) this.#open.add(id);
    const response = await super.handleRequest(request, options);
    if (id !== undefined && !response.ok) this.#open.delete(id);
    if (message && response.ok) await this.#maybeCancel(message);
    return response;
  }

  override async send(...[message, options]: Parameters<Send>): Promise<void> {
    if (!("method" in message) && message.id !== undefined) {
      this.#open.delete(message.id);
    }
    await super.send(message, options);
  }

  /** The SDK answers no cancelled request, and would keep its stream open. */
  async #maybeCancel(message: JSONRPCMessage): Promise<void> {
    const id = maybeCancelled(message);
    if (id === undefined || !this.#open.has(id)) return;
    this.closeSSEStream(id);
    // With an answer, the SDK forgets the request. A client gets it if it comes
    // back for the stream.
    const error = { code: REFUSED, message: "The request was cancelled." };
    await this.send({ jsonrpc: "2.0", id, error });
  }
}

function maybeRequestId(
  message: JSONRPCMessage | undefined,
): string | number | undefined {
  return message && "method" in message && "id" in message
    ? message.id
    : undefined;
}
