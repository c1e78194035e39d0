import {
  isInitializeRequest,
  type JSONRPCMessage,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "../../../../deps/mcp_server.ts";
import type { HttpSettings } from "../../../protocol/server_settings.ts";
import type { McpHost } from "../../mcp_host.ts";
import { type Caller, toOwner } from "./callers.ts";
import { EventLog, EventLogs } from "./event_log.ts";
import { REFUSED, refuseHttp } from "./refusals.ts";

/** Time after which a client comes back that has lost a stream. */
const RETRY_MS = 1000;

interface McpSession {
  server: Server;
  transport: WebStandardStreamableHTTPServerTransport;
  /** The session answers no other caller. */
  caller: string;
}

/**
 * The MCP sessions of 2025 clients: a connection that lasts longer than a
 * request. Sessions of Python are others, and outlive them.
 */
export class McpSessions {
  /** By id, the least recently used one first. */
  #open = new Map<string, McpSession>();
  #logs = new EventLogs();

  constructor(
    private host: Pick<McpHost, "createServer">,
    private settings: Pick<HttpSettings, "maxMcpSessions">,
    private onerror: (error: Error) => void,
  ) {}

  async answer(
    request: Request,
    caller: Caller,
    parsedBody?: JSONRPCMessage,
  ): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    const options = parsedBody === undefined ? {} : { parsedBody };
    if (id === null && isInitializeRequest(parsedBody)) {
      const transport = await this.#start(caller);
      return await transport.handleRequest(request, options);
    }
    if (id === null) {
      return refuseHttp(
        400,
        "The Mcp-Session-Id header is missing: send initialize first, and then the id that its answer has in this header.",
      );
    }
    const session = this.#open.get(id);
    // To others, a session of this id does not exist.
    if (session?.caller !== caller.name) {
      return refuseHttp(
        404,
        "There is no such MCP session: it has ended, or the server was restarted. Send initialize again.",
      );
    }
    this.#open.delete(id);
    this.#open.set(id, session);
    const { transport } = session;
    const response = await transport.handleRequest(request, options);
    const cancelled = maybeCancelled(parsedBody);
    if (cancelled !== undefined) await endStream(transport, cancelled);
    return response;
  }

  tellToolsChanged(): void {
    for (const { server } of this.#open.values()) {
      server.sendToolListChanged().catch(() => {});
    }
  }

  /** Tells a caller; to others, its resources do not exist. */
  tellResourcesChanged(owner: string): void {
    for (const { server, caller } of this.#open.values()) {
      if (caller === owner) server.sendResourceListChanged().catch(() => {});
    }
  }

  async #start(
    caller: Caller,
  ): Promise<WebStandardStreamableHTTPServerTransport> {
    const id = crypto.randomUUID();
    const events = new EventLog(this.#logs);
    const server = this.host.createServer(toOwner(caller, id));
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: events,
      retryInterval: RETRY_MS,
      onsessioninitialized: () => {
        this.#open.set(id, { server, transport, caller: caller.name });
        this.#makeRoom();
      },
    });
    server.onclose = () => {
      this.#open.delete(id);
      events.clear();
    };
    server.onerror = this.onerror;
    await server.connect(transport);
    return transport;
  }

  #makeRoom(): void {
    const [oldest] = this.#open.values();
    if (this.#open.size <= this.settings.maxMcpSessions || !oldest) return;
    oldest.server.close().catch(this.onerror);
  }
}

/** Id of the request that a message cancels. */
function maybeCancelled(
  message: JSONRPCMessage | undefined,
): string | number | undefined {
  if (!message || !("method" in message) || "id" in message) return undefined;
  if (message.method !== "notifications/cancelled") return undefined;
  const id = message.params?.requestId;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

/**
 * Ends the stream of a cancelled request: the SDK answers no such request, and
 * would keep its stream open.
 */
async function endStream(
  transport: WebStandardStreamableHTTPServerTransport,
  id: string | number,
): Promise<void> {
  transport.closeSSEStream(id);
  // With an answer, the transport forgets the request. A client gets it if it
  // comes back for the stream.
  const error = { code: REFUSED, message: "The request was cancelled." };
  await transport.send({ jsonrpc: "2.0", id, error }).catch(() => {
    // It was answered before.
  });
}
