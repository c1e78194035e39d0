import {
  isInitializeRequest,
  type JSONRPCMessage,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "../../../../deps/mcp_server.ts";
import type { HttpSettings } from "../../../protocol/server_settings.ts";
import type { McpHost } from "../../mcp_host.ts";
import { type Caller, toOwner } from "./callers.ts";
import { EventLog } from "./event_log.ts";
import { refuseHttp } from "./refusals.ts";

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

  constructor(
    private host: Pick<McpHost, "createServer">,
    private settings: Pick<HttpSettings, "maxMcpSessions">,
    private onerror: (error: Error) => void,
  ) {}

  get size(): number {
    return this.#open.size;
  }

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
    return await session.transport.handleRequest(request, options);
  }

  tellToolsChanged(): void {
    for (const { server } of this.#open.values()) {
      server.sendToolListChanged().catch(() => {});
    }
  }

  async #start(
    caller: Caller,
  ): Promise<WebStandardStreamableHTTPServerTransport> {
    const id = crypto.randomUUID();
    const server = this.host.createServer(toOwner(caller, id));
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: new EventLog(),
      onsessioninitialized: () => {
        this.#open.set(id, { server, transport, caller: caller.name });
        this.#makeRoom();
      },
    });
    server.onclose = () => this.#open.delete(id);
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
