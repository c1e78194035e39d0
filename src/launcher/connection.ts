import { SERVER_LINE } from "../protocol/bounds.ts";
import { readLines } from "../protocol/lines.ts";
import type { ClientStreams } from "./client_pipe.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A transport for `connect()` of an MCP client; messages are JSON-RPC. */
export interface Connection {
  /** Takes each message of the server. */
  onmessage?: (message: unknown) => void;
  /** Called when the connection has ended. */
  onclose?: () => void;
  /** Called for an error that ends the connection. */
  onerror?: (error: Error) => void;
  /** Starts the server. */
  start(): Promise<void>;
  /** Sends a message to the server. */
  send(message: unknown): Promise<void>;
  /** Ends the connection, and waits for the server to end. */
  close(): Promise<void>;
}

/**
 * A connection within this process, for a client of MCP.
 *
 * @param serve Serves the client until it is gone.
 */
export function openConnection(
  serve: (client: ClientStreams) => Promise<unknown>,
): Connection {
  const toServer = new TransformStream<Uint8Array<ArrayBuffer>>();
  const toClient = new TransformStream<Uint8Array<ArrayBuffer>>();
  const writer = toServer.writable.getWriter();
  let ended: Promise<unknown> | undefined;
  const transport: Connection = {
    start() {
      ended = serve({ input: toServer.readable, output: toClient.writable })
        .catch((error) => transport.onerror?.(error))
        .finally(() => transport.onclose?.());
      read().catch((error) => transport.onerror?.(error));
      return Promise.resolve();
    },
    async send(message) {
      await writer.write(encoder.encode(`${JSON.stringify(message)}\n`));
    },
    async close() {
      await writer.close().catch(() => {});
      await ended;
    },
  };
  return transport;

  async function read(): Promise<void> {
    for await (const line of readLines(toClient.readable, SERVER_LINE)) {
      transport.onmessage?.(JSON.parse(decoder.decode(line)));
    }
  }
}
