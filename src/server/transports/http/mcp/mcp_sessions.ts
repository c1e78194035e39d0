import {
  isInitializeRequest,
  type JSONRPCMessage,
  type Server,
} from "../../../../../deps/mcp_server.ts";
import type { HttpSettings } from "../../../../protocol/server_settings.ts";
import type { McpHost } from "../../../mcp_host.ts";
import { type Caller, toOwner } from "../callers/callers.ts";
import { EventLogs } from "./event_log.ts";
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
  /** By id, the least recently used one first. */
  #sessions = new Map<string, McpSession>();
  #logs = new EventLogs();

  constructor(
    private host: Pick<McpHost, "createServer" | "calls">,
    private settings: Pick<HttpSettings, "maxMcpSessions">,
    private onerror: (error: Error) => void,
    private now: () => number = () => performance.now(),
  ) {}

  get size(): number {
    return this.#sessions.size;
  }

  async answer(
    request: Request,
    caller: Caller,
    parsedBody?: JSONRPCMessage,
  ): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    const options = parsedBody === undefined ? {} : { parsedBody };
    if (id === null && isInitializeRequest(parsedBody)) {
      if (!this.#makeRoom()) {
        return refuseHttp(
          503,
          "Cannot open an MCP session as calls are under way in all that there may be: try again later.",
          { "retry-after": "1" },
        );
      }
      const session = this.#open(caller);
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
        "There is no such MCP session: it has ended, or the server was restarted. Send initialize again.",
      );
    }
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
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
  #open(caller: Caller): McpSession {
    const id = crypto.randomUUID();
    const log = this.#logs.open();
    const server = this.host.createServer(toOwner(caller, id));
    server.onclose = () => {
      this.#sessions.delete(id);
      this.#logs.close(log);
    };
    server.onerror = this.onerror;
    const session = {
      id,
      server,
      caller: caller.name,
      requests: 0,
      used: this.now(),
      transport: new SessionTransport({
        sessionIdGenerator: () => id,
        eventStore: log,
        retryInterval: RETRY_MS,
      }),
    };
    this.#sessions.set(id, session);
    return session;
  }

  #noteUse(request: Request, session: McpSession): void {
    session.requests++;
    void exchangeOf(request).ended.then(() => {
      session.requests--;
      session.used = this.now();
    });
  }

  /** Ends sessions that are not used, and one more if all places are taken. */
  #makeRoom(): boolean {
    // A call goes on if its client is gone.
    const free = [...this.#sessions.values()]
      .filter(({ id }) => !this.host.calls.isConnectionBusy(id));
    const idle = free.filter(({ requests }) => requests === 0);
    const oldest = this.now() - IDLE_MS;
    for (const session of idle) if (session.used < oldest) this.#end(session);
    if (this.#sessions.size < this.settings.maxMcpSessions) return true;
    const victim = this.#maybeVictim(idle) ?? this.#maybeVictim(free);
    if (victim) this.#end(victim);
    return victim !== undefined;
  }

  /** The least recently used of these, of the caller that has most of all sessions. */
  #maybeVictim(candidates: McpSession[]): McpSession | undefined {
    const counts = new Map<string, number>();
    for (const { caller } of this.#sessions.values()) {
      counts.set(caller, (counts.get(caller) ?? 0) + 1);
    }
    const countOf = ({ caller }: McpSession) => counts.get(caller) ?? 0;
    const most = Math.max(...candidates.map(countOf));
    return candidates.find((one) => countOf(one) === most);
  }

  #end({ id, server }: McpSession): void {
    this.#sessions.delete(id);
    server.close().catch(this.onerror);
  }
}
