/// <reference lib="dom" />
import { EventSourceParserStream } from "../../deps/eventsource_parser.ts";
import { WHOLE_VALUES } from "../protocol/whole_values.ts";
import type { Access } from "./access.ts";

const PROTOCOL = "2026-07-28";
const META = "io.modelcontextprotocol/";

export type Fields = Record<string, unknown>;

export interface CallOptions {
  signal?: AbortSignal;
  /** Takes a line that the code has printed. */
  onLine?(level: string, line: string): void;
  /** Takes what a call waits for, such as an install. */
  onProgress?(message: string): void;
}

/** Speaks MCP with the server that this page comes from. */
export class McpClient {
  #lastId = 0;

  constructor(private access: Access, private path: string) {}

  /** Calls a tool; failing code is an answer. */
  call(name: string, args: Fields, options: CallOptions = {}): Promise<Fields> {
    const params = { name, arguments: args };
    return this.#request("tools/call", params, { ...options, name });
  }

  async tools(): Promise<Fields[]> {
    return listOf((await this.#request("tools/list", {})).tools);
  }

  /** The address that other clients use. */
  get url(): string {
    return new URL(this.path, document.baseURI).href;
  }

  async read(uri: string): Promise<{ text?: string; blob?: string }> {
    const name = { name: uri };
    const answer = await this.#request("resources/read", { uri }, name);
    const [{ text, blob } = {}] = listOf(answer.contents);
    return blob === undefined
      ? { text: String(text ?? "") }
      : { blob: String(blob) };
  }

  async #request(
    method: string,
    params: Fields,
    { name, signal, onLine, onProgress }: CallOptions & { name?: string } = {},
  ): Promise<Fields> {
    const id = ++this.#lastId;
    const _meta = {
      [`${META}protocolVersion`]: PROTOCOL,
      [`${META}clientInfo`]: { name: "mcp-run-python page", version: "1" },
      [`${META}clientCapabilities`]: {},
      ...WHOLE_VALUES,
      ...(onLine ? { [`${META}logLevel`]: "info" } : {}),
      ...(onProgress ? { progressToken: id } : {}),
    };
    const response = await this.access.fetch(this.path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": PROTOCOL,
        "mcp-method": method,
        ...(name === undefined ? {} : { "mcp-name": name }),
        ...toSessionHeader(params),
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id,
        method,
        params: { ...params, _meta },
      }),
      signal: signal ?? null,
    });
    for await (const message of readMessages(response)) {
      if (message.method === "notifications/message") {
        const { level, data } = fieldsOf(message.params);
        onLine?.(String(level), String(data));
      }
      if (message.method === "notifications/progress") {
        onProgress?.(String(fieldsOf(message.params).message ?? ""));
      }
      if (message.id !== id) continue;
      if (!message.error) return fieldsOf(message.result);
      throw new Error(String(fieldsOf(message.error).message));
    }
    throw new Error("The server ended the answer before its result.");
  }
}

/** The session of a call, for a load balancer: the tool's schema asks for it. */
function toSessionHeader(params: Fields): Record<string, string> {
  const { session } = fieldsOf(params.arguments);
  return typeof session === "string" ? { "mcp-param-session": session } : {};
}

async function* readMessages(response: Response): AsyncGenerator<Fields> {
  const type = response.headers.get("content-type") ?? "";
  if (!type.startsWith("text/event-stream") || !response.body) {
    return yield fieldsOf(await response.json());
  }
  for await (const event of readEvents(response.body)) {
    yield fieldsOf(JSON.parse(event));
  }
}

export function fieldsOf(data: unknown): Fields {
  return { ...Object(data) };
}

export function listOf(data: unknown): Fields[] {
  return Array.isArray(data) ? data.map(fieldsOf) : [];
}

/** The data of each event of a server's event stream. */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<string> {
  // Streams are not iterable in all browsers.
  const reader = body.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream()).getReader();
  try {
    for (let next; !(next = await reader.read()).done;) yield next.value.data;
  } finally {
    reader.cancel().catch(() => {});
  }
}
