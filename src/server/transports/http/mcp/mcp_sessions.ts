import {
  isInitializeRequest,
  type JSONRPCMessage,
  type Server,
} from "../../../../../deps/mcp_server.ts";
import type { Rest } from "../../../../shares.ts";
import type { McpHost } from "../../../mcp_host.ts";
import { toOwnId } from "../../../own_id.ts";
import type { Shares } from "../../../shares.ts";
import { type Caller, toOwner } from "../callers/callers.ts";
import { EventLog } from "./event_log.ts";
import { exchangeOf } from "../listener/exchange.ts";
import { refuseHttp } from "../refusals.ts";
import { SessionTransport } from "./session_transport.ts";

/** Time after which a client comes back that has lost a stream. */
const RETRY_MS = 1000;

interface McpSession {
  id: string;
  server: Server;
  transport: SessionTransport;
  /** The session answers no other caller. */
  caller: string;
  amount: 1;
  rest(): Rest;
  giveWay(): void;
  /** Requests under way, streams that the client listens to among them. */
  requests: number;
  /** When a request last came or ended. */
  used: number;
}

/** Time after which a session ends that its client does not use. */
const IDLE_MS = 3_600_000;

/**
 * The MCP sessions of 2025 clients: a connection that lasts longer than a
 * request. Sessions of Python are others, and outlive them.
 */
export class McpSessions {
  #sessions = new Map<string, McpSession>();

  constructor(
    private host: Pick<McpHost, "createServer" | "calls">,
    private shares: Pick<Shares, "mcpSessions" | "events">,
    private onerror: (error: Error) => void,
    /** The name of this server among several. */
    private server?: string,
    private now: () => number = () => performance.now(),
  ) {}

  async answer(
    request: Request,
    caller: Caller,
    parsedBody?: JSONRPCMessage,
  ): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    const options = parsedBody === undefined ? {} : { parsedBody };
    if (id === null && isInitializeRequest(parsedBody)) {
      const session = this.#maybeOpen(caller);
      if (!session) {
        exchangeOf(request).reason = "calls are under way in all MCP sessions";
        return refuseHttp(
          503,
          "Cannot open an MCP session as calls are under way in all that there may be: try again later.",
          { "retry-after": "1" },
        );
      }
      this.#noteUse(request, session);
      await session.server.connect(session.transport);
      const response = await session.transport.handleRequest(request, options);
      if (!response.ok) this.#end(session);
      return response;
    }
    if (id === null) {
      return refuseHttp(
        400,
        "The Mcp-Session-Id header is missing: send initialize first, and then the id that its answer has in this header.",
      );
    }
    const session = this.#sessions.get(id);
    // To others, a session of this id does not exist.
    if (session?.caller !== caller.name) {
      return refuseHttp(
        404,
        "There is no such MCP session: it has ended, or the server was restarted, or it is another server's. Send initialize again.",
      );
    }
    this.shares.mcpSessions.touch(session);
    this.#noteUse(request, session);
    return await session.transport.handleRequest(request, options);
  }

  async close(): Promise<void> {
    const open = [...this.#sessions.values()];
    await Promise.all(open.map(({ server }) => server.close()));
  }

  tellToolsChanged(): void {
    for (const { server } of this.#sessions.values()) {
      server.sendToolListChanged().catch(() => {});
    }
  }

  /** Tells a caller; to others, its resources do not exist. */
  tellResourcesChanged(owner: string): void {
    for (const { server, caller } of this.#sessions.values()) {
      if (caller === owner) server.sendResourceListChanged().catch(() => {});
    }
  }

  /** Takes a place at once: requests that come together find it taken. */
  #maybeOpen(caller: Caller): McpSession | undefined {
    this.#endUnused();
    const id = toOwnId(this.server);
    const { mcpSessions, events } = this.shares;
    const log = new EventLog(caller.name, events);
    const server = this.host.createServer(toOwner(caller, id));
    const session: McpSession = {
      id,
      server,
      caller: caller.name,
      amount: 1,
      rest: () => this.#rest(session),
      giveWay: () => this.#end(session),
      requests: 0,
      used: this.now(),
      transport: new SessionTransport({
        sessionIdGenerator: () => id,
        eventStore: log,
        retryInterval: RETRY_MS,
      }),
    };
    server.onclose = () => {
      mcpSessions.drop(session);
      this.#sessions.delete(id);
      log.close();
    };
    server.onerror = this.onerror;
    if (mcpSessions.take(session)) {
      this.#sessions.set(id, session);
      return session;
    }
    log.close();
  }

  #noteUse(request: Request, session: McpSession): void {
    session.requests++;
    void exchangeOf(request).ended.then(() => {
      session.requests--;
      session.used = this.now();
    });
  }

  #rest({ id, requests }: McpSession): Rest {
    // A call goes on if its client is gone.
    if (this.host.calls.isConnectionBusy(id)) return "used";
    return requests === 0 ? "idle" : "listening";
  }

  #endUnused(): void {
    const oldest = this.now() - IDLE_MS;
    for (const session of this.#sessions.values()) {
      const isUnused = session.used < oldest && this.#rest(session) === "idle";
      if (isUnused) this.#end(session);
    }
  }

  #end(session: McpSession): void {
    this.shares.mcpSessions.drop(session);
    this.#sessions.delete(session.id);
    session.server.close().catch(this.onerror);
  }
}
