import type { Transport } from "../../deps/mcp_client.ts";
import { SERVER_LINE } from "../protocol/bounds.ts";
import { readLines } from "../protocol/lines.ts";
import type { ClientStreams } from "./client_pipe.ts";

type Message = Parameters<Transport["send"]>[0];

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A connection within this process, for a client of MCP. */
export function openConnection(
  serve: (client: ClientStreams) => Promise<unknown>,
): Transport {
  const toServer = new TransformStream<Uint8Array<ArrayBuffer>>();
  const toClient = new TransformStream<Uint8Array<ArrayBuffer>>();
  const writer = toServer.writable.getWriter();
  let ended: Promise<unknown> | undefined;
  const transport: Transport = {
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
      const message: Message = JSON.parse(decoder.decode(line));
      transport.onmessage?.(message);
    }
  }
}
