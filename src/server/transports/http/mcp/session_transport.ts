import {
  type JSONRPCMessage,
  type JSONRPCResponse,
  WebStandardStreamableHTTPServerTransport,
} from "../../../../../deps/mcp_server.ts";
import { INVALID_REQUEST } from "../../../error_codes.ts";
import { maybeCancelled, refuse, TWICE } from "../../client_messages.ts";
import { REFUSED } from "../refusals.ts";

type Send = WebStandardStreamableHTTPServerTransport["send"];

/** Time in which an answer needs no stream, which both sides spend more CPU on. */
const SOON_MS = 20;

/** The SDK's transport of a 2025 session, which answers each request once. */
export class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  /** Ids of the requests that are not answered yet. */
  #open = new Set<string | number>();
  /** By id of a request that has no stream yet: takes the first message. */
  #first = new Map<string | number, (message?: JSONRPCMessage) => void>();

  override async handleRequest(
    request: Request,
    options: { parsedBody?: JSONRPCMessage } = {},
  ): Promise<Response> {
    const { parsedBody: message } = options;
    const id = message && "method" in message && "id" in message
      ? message.id
      : undefined;
    // The SDK would send the answer of the first request to the second.
    if (id !== undefined && this.#open.has(id)) {
      const { refusal } = refuse(id, INVALID_REQUEST, TWICE);
      return Response.json(refusal, { status: 400 });
    }
    if (id === undefined) {
      const response = await super.handleRequest(request, options);
      if (message && response.ok) await this.#maybeCancel(message);
      return response;
    }
    this.#open.add(id);
    const first = this.#firstMessage(id);
    const response = await super.handleRequest(request, options);
    if (!response.ok) this.#open.delete(id);
    const answer = response.ok ? await first : undefined;
    if (!answer || !isAnswer(answer)) return response;
    // The stream has this answer only.
    void response.body?.cancel();
    const { sessionId = "" } = this;
    return Response.json(answer, { headers: { "mcp-session-id": sessionId } });
  }

  /** The first message about a request; undefined if it does not come soon. */
  #firstMessage(id: string | number): Promise<JSONRPCMessage | undefined> {
    return new Promise((resolve) => {
      const end = (message?: JSONRPCMessage) => {
        clearTimeout(late);
        this.#first.delete(id);
        resolve(message);
      };
      const late = setTimeout(end, SOON_MS);
      this.#first.set(id, end);
    });
  }

  override async send(...[message, options]: Parameters<Send>): Promise<void> {
    const id = isAnswer(message) ? message.id : options?.relatedRequestId;
    if (id !== undefined) {
      if (isAnswer(message)) this.#open.delete(id);
      this.#first.get(id)?.(message);
    }
    await super.send(message, options);
  }

  /** The SDK answers no cancelled request, and would keep its stream open. */
  async #maybeCancel(message: JSONRPCMessage): Promise<void> {
    const id = maybeCancelled(message);
    if (id === undefined || !this.#open.has(id)) return;
    this.#first.get(id)?.();
    this.closeSSEStream(id);
    // With an answer, the SDK forgets the request. A client gets it if it comes
    // back for the stream.
    const error = { code: REFUSED, message: "The request was cancelled." };
    await this.send({ jsonrpc: "2.0", id, error });
  }
}

function isAnswer(message: JSONRPCMessage): message is JSONRPCResponse {
  return !("method" in message);
}
