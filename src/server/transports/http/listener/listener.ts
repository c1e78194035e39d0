// Deno's own `Deno.serve` has no bound for the time that a client takes to send a
// request's head, so that idle connections would stay for ever; the `node:http`
// of Deno has.
import { createServer, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { HttpSettings } from "../../../../protocol/server_settings.ts";
import { Connections } from "./connections.ts";
import { answer, Exchange } from "./exchange.ts";
import type { Shares } from "../../../shares.ts";
import type { Handler } from "../handler.ts";
import { toUrlHost } from "../../../../grants/hosts.ts";

export interface Listener {
  /** Of MCP; its host is the one that was asked for. */
  url: URL;
  /** Shows new connections this certificate; of a server with TLS only. */
  setTls(tls: NonNullable<HttpSettings["tls"]>): void;
  /** Takes no more connections, and ends those without a request. */
  stop(): void;
  /** Ends all connections. */
  close(): Promise<void>;
}

/**
 * Time that a connection without a request stays open: longer than clients keep theirs
 * (Go, hyper and balancers 60 to 90 s), so that none sends as the server ends it.
 */
const KEEP_ALIVE_MS = 120_000;
/** How often the server looks for clients that are too slow. */
const CHECK_MS = 1000;
const MAX_HEADER_BYTES = 16_384;

/** @throws {Error} If the address cannot be had. */
export async function listen(
  settings: HttpSettings,
  handler: Handler,
  { connections: share, answers }: Pick<Shares, "connections" | "answers">,
): Promise<Listener> {
  const { host, port, tls } = settings;
  const headMs = settings.headerTimeoutSeconds * 1000;
  const bodyMs = settings.bodyTimeoutSeconds * 1000;
  const options = {
    // Of TLS.
    handshakeTimeout: headMs,
    headersTimeout: headMs,
    requestTimeout: bodyMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: Math.min(CHECK_MS, headMs),
    maxHeaderSize: MAX_HEADER_BYTES,
  };
  const scheme = tls ? "https" : "http";
  const secure = tls && createSecureServer({ ...options, ...tls });
  const server: Server = secure ?? createServer(options);
  const connections = new Connections(share);
  server.on("connection", (socket) => connections.add(socket));
  server.on("request", (incoming, outgoing) => {
    const connection = connections.find(incoming.socket);
    const exchange = connection && new Exchange({ answers, connection });
    const turn = exchange && connection.begin(exchange);
    if (!turn) return void incoming.socket.destroy();
    const options = { scheme, handler, takeTimeoutMs: bodyMs, turn } as const;
    void answer(incoming, outgoing, exchange, options);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: settings.address, port }, resolve);
  });
  const address = server.address();
  const bound = typeof address === "object" ? address?.port : undefined;
  const closed = Promise.withResolvers<unknown>();
  return {
    url: new URL(
      `${scheme}://${toUrlHost(host)}:${bound ?? port}${settings.httpPath}`,
    ),
    setTls: (tls) => secure?.setSecureContext(tls),
    stop: () => void server.close(closed.resolve),
    async close() {
      server.close(closed.resolve);
      server.closeAllConnections();
      await closed.promise;
    },
  };
}
