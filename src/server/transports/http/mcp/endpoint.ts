import { AsyncLocalStorage } from "node:async_hooks";
import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  type JSONRPCMessage,
  type McpHttpHandler,
  type ServerEvent,
  type ServerEventBus,
} from "../../../../../deps/mcp_server.ts";
import { countParts } from "../../../../protocol/fields.ts";
import { Parts } from "../../../../protocol/lines.ts";
import type { Log } from "../../../../protocol/log_lines.ts";
import type { HttpSettings } from "../../../../protocol/server_settings.ts";
import { head } from "../../../../results/cut.ts";
import { MIB } from "../../../../units.ts";
import { INVALID_PARAMS } from "../../../error_codes.ts";
import type { McpHost } from "../../../mcp_host.ts";
import { PacedWork } from "../../../one_at_a_time.ts";
import { readClientMessage } from "../../client_messages.ts";
import { type Caller, toOwner } from "../callers/callers.ts";
import type { CallPlaces } from "../limits/call_places.ts";
import { holdBody } from "../limits/held_bodies.ts";
import { exchangeOf } from "../listener/exchange.ts";
import { refuseHttp } from "../refusals.ts";
import { McpSessions } from "./mcp_sessions.ts";
import { maybeRefuseParam } from "./param_headers.ts";

const METHODS = ["GET", "POST", "DELETE"];
/** Methods that 2026 clients do not have: the SDK answers 404. */
const REMOVED = ["initialize", "logging/setLevel"];

/** The request of 2026 clients whose stream tells what may come. */
const LISTEN = "subscriptions/listen";

/** Bytes of a message that is read as soon as it has come. */
const MOST_AT_ONCE = 65_536;
/** Lists, objects and keys of a message: each costs far more than its text. */
const MOST_PARTS = 2 ** 20;
const MANY_PARTS =
  `Cannot take a message with more than ${MOST_PARTS} lists, objects and keys: send much data as a file, such as CSV.`;

/** MCP at one path, for clients of both eras. */
export class McpEndpoint {
  #sessions: McpSessions | undefined;
  /** 2026 clients, and those of 2025 if there are no sessions. */
  #perRequest: McpHttpHandler;
  #events = new OwnerEvents();
  #reading = new PacedWork();

  constructor(
    private host: Pick<McpHost, "createServer" | "calls" | "shares">,
    private places: Pick<CallPlaces, "maybeRefuse">,
    private settings: HttpSettings,
    log: Pick<Log, "write">,
  ) {
    const onerror = ({ message }: Error) =>
      log.write("warning", "client", { error: head(message, 1000) });
    this.#sessions = settings.isStateless
      ? undefined
      : new McpSessions(host, host.shares, onerror, settings.serverName);
    this.#perRequest = createMcpHandler(
      () => host.createServer(toOwner(this.#events.caller)),
      {
        onerror,
        bus: this.#events,
        maxRequestBodySize: settings.maxBodyMiB * MIB,
      },
    );
  }

  async answer(request: Request, caller: Caller): Promise<Response> {
    if (!METHODS.includes(request.method)) {
      const allow = METHODS.join(", ");
      return refuseHttp(405, `MCP has the methods ${allow}.`, { allow });
    }
    const sessions = this.#sessions;
    const answerAlone = (parsedBody?: JSONRPCMessage) =>
      this.#events.serve(
        caller,
        () => this.#perRequest.fetch(request, { parsedBody }),
      );
    if (request.method !== "POST") {
      return await (sessions?.answer(request, caller) ?? answerAlone());
    }
    if (!isJsonContentType(request.headers.get("content-type"))) {
      return refuseHttp(
        415,
        "Cannot read this body: send it with Content-Type application/json.",
      );
    }
    const { calls, shares } = this.host;
    const take = holdBody(request, caller.name, shares.bodies, calls);
    const body = await readBody(request, this.settings.maxBodyMiB * MIB, take);
    if (body instanceof Response) return body;
    if (countParts(body) > MOST_PARTS) return refuseHttp(413, MANY_PARTS);
    // Only clients of 2026 send this header.
    const isLater = request.headers.has("mcp-method");
    const read = () => readClientMessage(body, isLater ? REMOVED : []);
    const { message: parsedBody, refusal } = body.length > MOST_AT_ONCE
      ? await this.#reading.do(caller.name, read)
      : read();
    if (refusal) {
      // Clients take an error of HTTP for a fault of the connection.
      const isAnswer = refusal.error.code === INVALID_PARAMS;
      return Response.json(refusal, { status: isAnswer ? 200 : 400 });
    }
    const mismatch = isLater
      ? maybeRefuseParam(parsedBody, request.headers)
      : undefined;
    if (mismatch) return Response.json(mismatch, { status: 400 });
    const { method } = parsedBody as { method?: string };
    if (method === LISTEN) exchangeOf(request).isListening = true;
    const full = this.places.maybeRefuse(parsedBody, request, caller);
    if (full) return full;
    return sessions && await isLegacyRequest(request, parsedBody)
      ? await sessions.answer(request, caller, parsedBody)
      : await answerAlone(parsedBody);
  }

  /** Ends the streams that clients listen to. */
  async close(): Promise<void> {
    await Promise.all([this.#perRequest.close(), this.#sessions?.close()]);
  }

  tellToolsChanged(): void {
    this.#events.publish({ kind: "tools_list_changed" });
    this.#sessions?.tellToolsChanged();
  }

  /** @param owner Name of the caller whose files or sessions have changed. */
  tellResourcesChanged(owner: string): void {
    this.#events.publish({ kind: "resources_list_changed" }, owner);
    this.#sessions?.tellResourcesChanged(owner);
  }
}

/**
 * Reads a body; gives the answer to one that is too large, or breaks off.
 *
 * @param take Takes the bytes that have come, and tells whether there is room.
 */
async function readBody(
  request: Request,
  maxBytes: number,
  take: (bytes: number) => boolean,
): Promise<Uint8Array<ArrayBuffer> | Response> {
  const tooLarge = () =>
    refuseHttp(
      413,
      `Cannot take a body of more than ${maxBytes} bytes: send less, or mount a folder with --mount.`,
      { connection: "close" },
    );
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) {
    return tooLarge();
  }
  const parts = new Parts();
  let size = 0;
  try {
    for await (const chunk of exchangeOf(request).body ?? []) {
      size += chunk.length;
      if (size > maxBytes) return tooLarge();
      if (!take(size)) return refuseHttp(429, NO_ROOM, NO_ROOM_HEADERS);
      parts.push(chunk);
    }
  } catch {
    return refuseHttp(400, "The body broke off: send the request again.");
  }
  return parts.join();
}

const NO_ROOM =
  "Cannot take this body as those of calls under way fill the memory that there is for them (16 of the largest): wait for an answer, or send less.";
const NO_ROOM_HEADERS = { "retry-after": "1", connection: "close" };

type Listener = (event: ServerEvent) => void;

/** Changes that 2026 clients hear of: those of its own resources, an owner only. */
export class OwnerEvents implements ServerEventBus {
  #owners = new Map<Listener, string>();
  /** The SDK does not say whose request a server or a listener is for. */
  #current = new AsyncLocalStorage<Caller>();

  /** Serves a request of a caller; what subscribes meanwhile is for that caller. */
  serve<T>(caller: Caller, request: () => T): T {
    return this.#current.run(caller, request);
  }

  /** The caller of the request that is served here. */
  get caller(): Caller {
    const caller = this.#current.getStore();
    if (caller) return caller;
    throw new TypeError("A request has no caller");
  }

  subscribe(listener: Listener): () => void {
    this.#owners.set(listener, this.caller.name);
    return () => this.#owners.delete(listener);
  }

  /** @param owner Undefined if all owners hear of it. */
  publish(event: ServerEvent, owner?: string): void {
    for (const [listener, its] of this.#owners) {
      if (owner === undefined || its === owner) listener(event);
    }
  }
}
