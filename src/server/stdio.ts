import type { JSONRPCMessage, Transport } from "../../deps/mcp_server.ts";
import type { Link } from "./link.ts";

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
/** Time for calls under way to be answered after the client's last word. */
const DRAIN_MS = 500;

/**
 * MCP over the line to the broker.
 *
 * What cannot be read is answered, so that its sender learns of it.
 */
export class LinkTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  /**
   * @param link The line; all that comes from the client is for MCP.
   * @param onEnd Called after the client's last word.
   */
  constructor(private link: Link, private onEnd: () => void) {}

  /** Ids of requests that are not answered yet. */
  #open = new Set<unknown>();
  #onAnswer = () => {};

  start(): Promise<void> {
    this.#read();
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ("id" in message && !("method" in message)) this.#answered(message.id);
    await this.link.sendToClient(JSON.stringify(message));
  }

  close(): Promise<void> {
    this.onclose?.();
    return Promise.resolve();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    while (true) {
      const line = await this.link.client.next();
      if (line === null) return await this.#drain();
      if (line.every((byte) => byte <= 32)) continue;
      let message: unknown;
      try {
        message = JSON.parse(decoder.decode(line));
      } catch (error) {
        await this.#refuse(PARSE_ERROR, `Cannot read a line as JSON: ${error}`);
        continue;
      }
      if (isMessage(message)) {
        if ("id" in message && "method" in message) this.#open.add(message.id);
        this.onmessage?.(message);
      } else await this.#refuse(INVALID_REQUEST, NO_MESSAGE);
    }
  }

  #answered(id: unknown): void {
    this.#open.delete(id);
    this.#onAnswer();
  }

  /** Lets calls under way be answered, for a little while. */
  async #drain(): Promise<void> {
    const late = setTimeout(this.onEnd, DRAIN_MS);
    while (this.#open.size > 0) {
      await new Promise<void>((resolve) => this.#onAnswer = resolve);
    }
    clearTimeout(late);
    this.onEnd();
  }

  async #refuse(code: number, message: string): Promise<void> {
    const refusal = { jsonrpc: "2.0", id: null, error: { code, message } };
    await this.link.sendToClient(JSON.stringify(refusal));
  }
}

const NO_MESSAGE =
  "Not a JSON-RPC 2.0 message of MCP: method must be a string, id a string or an integer, params and its _meta objects";

/** The SDK reads the rest; what is wrong up to here it would not answer. */
function isMessage(data: unknown): data is JSONRPCMessage {
  if (!isRecord(data) || data.jsonrpc !== "2.0") return false;
  const { id, method, params } = data;
  if (id !== undefined && typeof id !== "string" && !Number.isSafeInteger(id)) {
    return false;
  }
  if (method === undefined) return id !== undefined;
  return typeof method === "string" &&
    (params === undefined ||
      isRecord(params) &&
        (params._meta === undefined || isRecord(params._meta)));
}

function isRecord(data: unknown): data is Record<string, unknown> {
  return typeof data === "object" && data !== null && !Array.isArray(data);
}
