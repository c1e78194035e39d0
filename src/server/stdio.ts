import type { JSONRPCMessage, Transport } from "../../deps/mcp_server.ts";
import { CLIENT_LINE } from "../protocol/bounds.ts";
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

  /** Methods of the requests that are not answered yet, by id. */
  #open = new Map<unknown, string>();
  #onClosed = () => {};

  start(): Promise<void> {
    this.#read();
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.link.sendToClient(JSON.stringify(message));
    if ("id" in message && !("method" in message)) this.#closed(message.id);
  }

  close(): Promise<void> {
    this.onclose?.();
    return Promise.resolve();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    while (true) {
      const line = await this.link.nextFromClient();
      if (line === null) return await this.#drain();
      if ("tooLong" in line) {
        await this.#refuse(INVALID_REQUEST, tooLong(line.tooLong));
        continue;
      }
      if (line.every((byte) => byte <= 32)) continue;
      let message: unknown;
      try {
        message = JSON.parse(decoder.decode(line));
      } catch (error) {
        await this.#refuse(PARSE_ERROR, `Cannot read a line as JSON: ${error}`);
        continue;
      }
      if (isMessage(message)) {
        this.#note(message);
        this.onmessage?.(message);
      } else await this.#refuse(INVALID_REQUEST, NO_MESSAGE);
    }
  }

  #note(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if ("id" in message) this.#open.set(message.id, message.method);
    // The SDK answers no request that was cancelled.
    else if (message.method === "notifications/cancelled") {
      this.#closed(message.params?.requestId);
    }
  }

  #closed(id: unknown): void {
    this.#open.delete(id);
    this.#onClosed();
  }

  /** Lets all that takes no time be answered, and calls for a little while. */
  async #drain(): Promise<void> {
    await this.#until(() => [...this.#open.values()].every(isCall));
    const late = setTimeout(this.onEnd, DRAIN_MS);
    await this.#until(() => this.#open.size === 0);
    clearTimeout(late);
    this.onEnd();
  }

  async #until(done: () => boolean): Promise<void> {
    while (!done()) {
      await new Promise<void>((resolve) => this.#onClosed = resolve);
    }
  }

  async #refuse(code: number, message: string): Promise<void> {
    const refusal = { jsonrpc: "2.0", id: null, error: { code, message } };
    await this.link.sendToClient(JSON.stringify(refusal));
  }
}

function tooLong(bytes: number): string {
  return `Cannot read a message of ${bytes} bytes, as a message may have ${CLIENT_LINE}: send less`;
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

const isCall = (method: string) => method === "tools/call";

function isRecord(data: unknown): data is Record<string, unknown> {
  return typeof data === "object" && data !== null && !Array.isArray(data);
}
