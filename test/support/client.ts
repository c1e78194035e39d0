import { Client, type Transport } from "../../deps/mcp_client.ts";
import type { Json } from "../../src/protocol/run_result.ts";
import { WHOLE_VALUES } from "../../src/protocol/whole_values.ts";

/** The protocol eras that a client can ask for. */
export const ERAS = ["2025-11-25", "2026-07-28"] as const;

/** A protocol era. */
export type Era = typeof ERAS[number];

/** What a call came back with. */
export interface Called {
  status: string;
  output: string[];
  returnValue: Json | undefined;
  error: string | undefined;
  isError: boolean;
  text: string;
  structured: Record<string, unknown>;
}

/** What goes with a call. */
export interface CallOptions {
  signal?: AbortSignal;
  /** Of the request. */
  meta?: Record<string, unknown>;
  /** Asks for progress, and hears of it. */
  onprogress?: (() => void) | ((told: Told) => void);
}

/** Progress, as a client gets it. */
export interface Told {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

/** The official client, connected. */
export interface TestClient extends AsyncDisposable {
  client: Client;
  call(
    code: string,
    args?: Record<string, unknown>,
    options?: CallOptions,
  ): Promise<Called>;
}

/** Whether each call opens a session: what no run may do, no session may. */
export const IN_SESSIONS: boolean = Deno.env.get("TEST_SESSIONS") === "1";

/** The bound for a hang: a first start may install numpy on a busy machine. */
const HANGING = { timeout: 900_000 };

/** The official client of an era; its calls may wait for an install on a busy machine. */
class PatientClient extends Client {
  constructor(era: Era) {
    super({ name: "test", version: "1" }, {
      versionNegotiation: {
        mode: era === "2025-11-25" ? "legacy" : { pin: era },
      },
    });
  }

  override callTool(
    ...[params, options]: Parameters<Client["callTool"]>
  ): ReturnType<Client["callTool"]> {
    return super.callTool(params, { ...HANGING, ...options });
  }
}

/** Connects the official client by any transport. */
export async function connectBy(
  transport: Transport,
  era: Era,
): Promise<TestClient> {
  const client = new PatientClient(era);
  await client.connect(transport, HANGING);
  return {
    client,
    async call(code, args = {}, { meta: _meta, ...options } = {}) {
      const result = await client.callTool({
        name: "run_python_code",
        arguments: {
          python_code: code,
          ...(IN_SESSIONS ? { session: "new" } : {}),
          ...args,
        },
        _meta: { ...WHOLE_VALUES, ..._meta },
      }, options);
      return toCalled(result);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** All that a client gets from now on; its own code may take it in later. */
export function listen(server: TestClient): { all: string[]; told: Told[] } {
  const heard: { all: string[]; told: Told[] } = { all: [], told: [] };
  const { transport } = server.client;
  const take = transport?.onmessage;
  if (!take) throw new Error("The client is not connected");
  transport.onmessage = (message, ...more) => {
    heard.all.push("method" in message ? message.method : "result");
    if ("method" in message && message.method === "notifications/progress") {
      const { progressToken: _, ...told } = { ...Object(message.params) };
      heard.told.push(told);
    }
    take(message, ...more);
  };
  return heard;
}

/** Has a call ask for progress. */
export const WANTED: CallOptions = { onprogress() {} };

/** Reads the result of a tool. */
export function toCalled(
  { content, structuredContent, isError }: Pick<
    Awaited<ReturnType<Client["callTool"]>>,
    "content" | "structuredContent" | "isError"
  >,
): Called {
  const structured: Record<string, unknown> = { ...Object(structuredContent) };
  const { status, output, return_value: returnValue, error } = structured;
  return {
    status: String(status),
    output: Array.isArray(output) ? output.map(String) : [],
    returnValue: returnValue as Json | undefined,
    error: error === undefined ? undefined : String(error),
    isError: isError === true,
    text: content.map((part) => part.type === "text" ? part.text : "").join(""),
    structured,
  };
}
