import {
  Client,
  StdioClientTransport,
  type Transport,
} from "../../deps/mcp_client.ts";
import type { Json } from "../../src/protocol/run_result.ts";
import { CACHE, CLI } from "./command.ts";

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
  /** Asks for progress, and hears of it. */
  onprogress?: () => void;
}

/** Progress, as a client gets it. */
export interface Told {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

/** A real server over real stdio, with the official client. */
export interface TestServer extends TestClient {
  /** Process id of the launcher. */
  pid: number;
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

/**
 * Most tests make a call at a time: the default keeps a sandbox ready for each
 * core, which costs CPU time and is not used.
 */
export const POOL = ["--pool", "1", "--install-wait", "3600"];

/** Whether each call opens a session: what no run may do, no session may. */
const IN_SESSIONS = Deno.env.get("TEST_SESSIONS") === "1";
const SESSIONS = IN_SESSIONS ? ["--max-sessions", "4"] : [];

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

/** Starts the real command and connects to it. */
export function startServer(
  args: string[] = [],
  era: Era = "2025-11-25",
  cli: string = CLI,
): Promise<TestServer> {
  const options = ["--cache-dir", CACHE, ...POOL, ...SESSIONS];
  return connectTo([cli, ...options, ...args, "stdio"], { era });
}

/**
 * Starts a program that serves as the real command does, and connects to it.
 *
 * @param args The program, and its arguments.
 * @param options.env Variables it has beside those of this process.
 * @param options.cwd Its current folder.
 */
export async function connectTo(
  args: string[],
  { era = "2025-11-25", env = {}, ...options }: {
    era?: Era;
    env?: Record<string, string>;
    cwd?: string;
  } = {},
): Promise<TestServer> {
  const transport = new StdioClientTransport({
    command: Deno.execPath(),
    args: ["run", "-A", ...args],
    env: { ...Deno.env.toObject(), ...env },
    ...options,
  });
  const connected = await connectBy(transport, era);
  const pid = transport.pid;
  if (pid === null) throw new Error("The server has no process");
  return { ...connected, pid };
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
    async call(code, args = {}, options = {}) {
      const result = await client.callTool({
        name: "run_python_code",
        arguments: {
          python_code: code,
          ...(IN_SESSIONS ? { session: "new" } : {}),
          ...args,
        },
      }, options);
      return toCalled(result);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** All that a client gets from now on; its own code may take it in later. */
export function listen(server: TestServer): { all: string[]; told: Told[] } {
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

function toCalled(
  { content, structuredContent, isError }: Awaited<
    ReturnType<Client["callTool"]>
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
